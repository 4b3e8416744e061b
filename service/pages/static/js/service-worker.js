// @ts-check
/**
 * The service worker. It shows what was last seen of a game while the server cannot be reached, and says so; it shows the
 * notifications that a push service delivers, and opens the game of one that is clicked.
 *
 * It keeps the first page and the pages of games, each as the network has sent it last, and the static files that they
 * need. The pages are those of one account: as soon as a page of another account, or of none, arrives, the others are
 * deleted, and before a form that begins or ends a session is sent. It keeps no response of the API and of no form.
 */

const worker = /** @type {any} */ (globalThis);

const PAGES = "pages-";
/** The cache of the page that says that another one was not kept. */
const OFFLINE = "offline";
const STATIC = "static";
const MAX_PAGES = 30;
const MAX_FILES = 100;
const OFFLINE_PAGE = "/offline";
/** The header of a kept page with the time at which it was received. */
const RECEIVED = "X-Received";
/** What ends a session, or begins one of another account. */
const SESSION_FORMS = /^\/(login|logout|register|play|tutorial|account\/(erase|sessions|name|password)|password\/new.*)$/;

/** @param {URL} address the address under which a page is kept; undefined for one that is not */
function keyOf(address) {
  const isGame = /^\/games\/[0-9a-f]{16}$/.test(address.pathname) && !address.searchParams.has("seq");
  return isGame || address.pathname === "/" ? address.pathname : undefined;
}

/** @param {string} html */
function accountOf(html) {
  return /id="device-key"[^>]*data-account="([^"]*)"/.exec(html)?.[1] ?? "";
}

/**
 * @param {Cache} cache
 * @param {number} most
 */
async function deleteOldest(cache, most) {
  const keys = await cache.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - most)).map((key) => cache.delete(key)));
}

/** @param {string} [kept] the name of the cache of pages that stays */
async function deletePages(kept) {
  const names = (await caches.keys()).filter((name) => name.startsWith(PAGES) && name !== kept);
  await Promise.all(names.map((name) => caches.delete(name)));
}

/**
 * Keep a page for its account, and delete those of other accounts.
 * @param {string | undefined} key
 * @param {Response} response
 */
async function keepPage(key, response) {
  const html = await response.text();
  if (!html.includes("<html")) return;
  const name = PAGES + accountOf(html);
  await deletePages(name);
  if (key === undefined || !response.ok) return;
  const headers = { "Content-Type": "text/html; charset=utf-8", [RECEIVED]: new Date().toISOString() };
  for (const header of ["Content-Security-Policy", "Referrer-Policy", "X-Content-Type-Options"])
    Object.assign(headers, { [header]: response.headers.get(header) ?? "" });
  const cache = await caches.open(name);
  // The page that was received last is the last one of the cache.
  await cache.delete(key);
  await cache.put(key, new Response(html, { headers }));
  await deleteOldest(cache, MAX_PAGES);
}

/**
 * Return a kept page, with the notice that it is old; undefined if there is none.
 * @param {string} key
 */
async function keptPage(key) {
  const name = (await caches.keys()).find((each) => each.startsWith(PAGES));
  const page = name === undefined ? undefined : await (await caches.open(name)).match(key);
  if (!page) return undefined;
  const html = await page.text();
  const received = new Date(page.headers.get(RECEIVED) ?? 0);
  const language = /<html lang="([^"]+)"/.exec(html)?.[1];
  const time = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(received);
  const text = html.replace(
    /(<p id="kept-page"[^>]*) hidden>([^<]*)<time><\/time>/,
    `$1>$2<time datetime="${received.toISOString()}">${time}</time>`,
  );
  return new Response(text, { headers: page.headers });
}

/** @param {any} event of a request for a page */
async function respondWithPage(event) {
  const key = keyOf(new URL(event.request.url));
  try {
    const response = await fetch(event.request);
    if (response.type === "basic" && response.headers.get("Content-Type")?.startsWith("text/html"))
      event.waitUntil(keepPage(key, response.clone()));
    return response;
  } catch (error) {
    const page = key === undefined ? undefined : await keptPage(key);
    if (page) return page;
    const other = event.request.mode === "navigate" ? await (await caches.open(OFFLINE)).match(OFFLINE_PAGE) : undefined;
    if (other) return other;
    throw error;
  }
}

/**
 * Return a static file, whose address changes with its content.
 * @param {Request} request
 */
async function respondWithFile(request) {
  const cache = await caches.open(STATIC);
  const kept = await cache.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) {
    await cache.put(request, response.clone());
    await deleteOldest(cache, MAX_FILES);
  }
  return response;
}

worker.addEventListener("install", (/** @type {any} */ event) => {
  worker.skipWaiting();
  // Without cookies, so that the page is that of a visitor who has not logged in.
  const request = new Request(OFFLINE_PAGE, { credentials: "omit" });
  event.waitUntil(caches.open(OFFLINE).then((cache) => cache.add(request)));
});

worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));

// The page that has registered the worker was loaded without it.
worker.addEventListener("message", (/** @type {any} */ event) => {
  const { page, files } = event.data;
  const keep = async () => {
    const response = await fetch(page, { credentials: "same-origin" });
    await keepPage(keyOf(new URL(page)), response);
    await Promise.all(files.map((/** @type {string} */ file) => respondWithFile(new Request(file))));
  };
  event.waitUntil(keep().catch(() => undefined));
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (address.origin !== worker.location.origin) return;
  if (request.method === "POST" && SESSION_FORMS.test(address.pathname)) event.waitUntil(deletePages());
  if (request.method !== "GET") return;
  if (address.pathname.startsWith("/static/")) event.respondWith(respondWithFile(request));
  // htmx asks for parts of a page with a target of its own.
  else if (request.mode === "navigate" || (request.headers.has("HX-Request") && request.headers.get("HX-Target") !== "acting"))
    event.respondWith(respondWithPage(event));
});

/** Show on the icon of the installed application in how many games it is the player's turn. */
async function showTurns() {
  if (!worker.navigator.setAppBadge) return;
  const response = await fetch("/turns");
  if (response.ok) await worker.navigator.setAppBadge((await response.json()).turns);
}

worker.addEventListener("push", (/** @type {any} */ event) => {
  const message = event.data.json();
  const shown = worker.registration.showNotification(message.title, {
    body: message.body,
    tag: message.tag,
    lang: message.language,
    data: message.path,
    icon: "/icons/icon-192.png",
  });
  event.waitUntil(Promise.all([shown, showTurns().catch(() => undefined)]));
});

worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(worker.clients.openWindow(event.notification.data));
});
