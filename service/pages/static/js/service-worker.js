// @ts-check
/**
 * The service worker. It shows what was last seen of a game while the server cannot be reached, and says so; it shows the
 * notifications that a push service delivers, and opens the game of one that is clicked.
 *
 * Notifications are those of the account that is logged in. When the account has changed, those that are shown are closed,
 * and the push subscription ends, unless the server has it for the new account.
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
const PUSH = "/account/notifications/push";
const TIMEOUT_MILLISECONDS = 10_000;
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

/** Return the account of the page that was received last, "" if nobody was logged in; undefined if none is kept. */
async function keptAccount() {
  return (await caches.keys()).find((name) => name.startsWith(PAGES))?.slice(PAGES.length);
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
  const account = accountOf(html);
  const isOther = account !== (await keptAccount());
  const name = PAGES + account;
  await deletePages(name);
  if (!response.ok) return;
  // Its name says who is logged in, also if this page is not kept.
  const cache = await caches.open(name);
  if (isOther) await settleAccount();
  if (key === undefined) return;
  const headers = { "Content-Type": "text/html; charset=utf-8", [RECEIVED]: new Date().toISOString() };
  for (const header of ["Content-Security-Policy", "Referrer-Policy", "X-Content-Type-Options"])
    Object.assign(headers, { [header]: response.headers.get(header) ?? "" });
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

worker.addEventListener("activate", (/** @type {any} */ event) => {
  // Earlier versions have registered subscriptions that belong to no session.
  event.waitUntil(Promise.all([worker.clients.claim(), settleAccount()]));
});

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
  // htmx names a target when it asks for parts of a page.
  else if (request.mode === "navigate" || (request.headers.has("HX-Request") && request.headers.get("HX-Target") !== "acting"))
    event.respondWith(respondWithPage(event));
});

/** Return what the server says of subscriptions and of who is logged in; undefined if it says nothing. */
async function pushState() {
  try {
    const response = await fetch(PUSH, { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Return the id by which the server knows a subscription: the beginning of the SHA-256 of its address.
 * @param {PushSubscription} subscription
 */
async function idOf(subscription) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(subscription.endpoint));
  return [...new Uint8Array(digest.slice(0, 8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Register a subscription with the session of the account that is logged in.
 * @param {any} state
 * @param {PushSubscription} subscription
 */
async function registerSubscription(state, subscription) {
  const { endpoint, keys } = subscription.toJSON();
  const fields = { csrf_token: state.csrf_token, endpoint: endpoint ?? "", p256dh: keys?.["p256dh"] ?? "" };
  const body = new URLSearchParams({ ...fields, auth: keys?.["auth"] ?? "" });
  await fetch(PUSH, { method: "POST", body }).catch(() => undefined);
}

/**
 * Close the notifications that are shown to other accounts than the one that is logged in, and end the push subscription
 * of this browser, unless the server has it for that account: then it belongs to the present session from now on.
 */
async function settleAccount() {
  const subscription = await worker.registration.pushManager?.getSubscription();
  const shown = await worker.registration.getNotifications();
  const state = subscription || shown.length > 0 ? await pushState() : undefined;
  if (!state) return;
  for (const notification of shown) if (notification.data?.account !== state.player) notification.close();
  if (!subscription) return;
  const id = await idOf(subscription);
  const entry = state.subscriptions.find((/** @type {any} */ each) => each.id === id);
  if (!entry) await subscription.unsubscribe();
  else if (!entry.current) await registerSubscription(state, subscription);
}

/**
 * Register the subscription that takes the place of one that the push service has ended.
 * @param {any} event
 */
async function replaceSubscription(event) {
  const state = await pushState();
  const id = event.oldSubscription ? await idOf(event.oldSubscription) : undefined;
  const isOn = state?.subscriptions.some((/** @type {any} */ each) => (id === undefined ? each.current : each.id === id));
  if (!isOn) return;
  const options = { userVisibleOnly: true, applicationServerKey: state.public_key };
  const subscription = event.newSubscription ?? (await worker.registration.pushManager.subscribe(options));
  await registerSubscription(state, subscription);
}

/**
 * Return who is logged in, "" for nobody, and in how many games it is their turn, if the server can be reached.
 * @returns {Promise<{ account: string | undefined, turns?: number }>}
 */
async function presentAccount() {
  try {
    const response = await fetch("/turns", { signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS) });
    const { player, turns } = response.ok ? await response.json() : {};
    // Servers of an earlier version do not say who is logged in.
    return { account: player === undefined ? await keptAccount() : (player ?? ""), turns };
  } catch {
    return { account: await keptAccount() };
  }
}

/**
 * Show a notification, if it is for the account that is logged in, and on the icon of the installed application in how
 * many games it is the player's turn.
 * @param {any} message
 */
async function showMessage(message) {
  const { account, turns } = await presentAccount();
  // Servers of an earlier version do not say for whom a message is.
  if (!account || (message.account ?? account) !== account) return settleAccount();
  await worker.registration.showNotification(message.title, {
    body: message.body,
    tag: message.tag,
    lang: message.language,
    data: { path: message.path, account },
    icon: "/icons/icon-192.png",
  });
  if (turns !== undefined) await worker.navigator.setAppBadge?.(turns);
}

worker.addEventListener("push", (/** @type {any} */ event) => event.waitUntil(showMessage(event.data.json())));

worker.addEventListener("pushsubscriptionchange", (/** @type {any} */ event) => {
  event.waitUntil(replaceSubscription(event).catch(() => undefined));
});

worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  const { data } = event.notification;
  event.notification.close();
  // Earlier versions have shown notifications with nothing but the path.
  event.waitUntil(worker.clients.openWindow(data.path ?? data));
});
