// @ts-check
/**
 * The button that switches on notifications in this browser, and those that switch them off. It subscribes to the
 * browser's push service, and sends the subscription to the server; a subscription that it finds has to be one of the
 * account, with the key of the server.
 */

/**
 * @param {HTMLElement} form
 * @param {string} name
 */
function show(form, name) {
  /** @type {NodeListOf<HTMLElement>} */
  const parts = form.querySelectorAll("[data-part]");
  for (const part of parts) part.hidden = part.dataset.part !== name;
}

/** Return the subscription of this browser, or null. */
async function ownSubscription() {
  const registration = await navigator.serviceWorker.getRegistration("/");
  return (await registration?.pushManager.getSubscription()) ?? null;
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
 * Return whether a subscription is for messages of the server with this key, in base64url.
 * @param {PushSubscription} subscription
 * @param {string} [key]
 */
function hasKey(subscription, key) {
  const bytes = new Uint8Array(subscription.options.applicationServerKey ?? new ArrayBuffer(0));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "") === key;
}

/** @param {HTMLFormElement} form */
async function subscribe(form) {
  const present = await ownSubscription();
  const isUsable = present !== null && hasKey(present, form.dataset.key);
  // A browser has one subscription, and refuses a second one with another key of the server.
  if (present && !isUsable) await present.unsubscribe();
  await navigator.serviceWorker.register("/service-worker.js");
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: form.dataset.key };
  const { endpoint, keys } = (isUsable ? present : await pushManager.subscribe(options)).toJSON();
  const data = new FormData(form);
  data.set("endpoint", endpoint ?? "");
  data.set("p256dh", keys?.["p256dh"] ?? "");
  data.set("auth", keys?.["auth"] ?? "");
  const response = await fetch(form.action, { method: "POST", body: data });
  if (!response.ok) throw new Error(`status ${String(response.status)}`);
}

/** @param {HTMLFormElement} form */
async function showState(form) {
  const subscription = await ownSubscription();
  const known = form.dataset.subscriptions?.split(" ") ?? [];
  const isOn = subscription && hasKey(subscription, form.dataset.key) && known.includes(await idOf(subscription));
  const other = Notification.permission === "denied" ? "refused" : "button";
  show(form, isOn ? "done" : other);
}

/**
 * End the subscription of this browser before its form is sent that removes it from the account.
 * @param {SubmitEvent} event
 */
async function switchOff(event) {
  const form = /** @type {HTMLFormElement} */ (event.target);
  event.preventDefault();
  try {
    const subscription = await ownSubscription();
    if (subscription && (await idOf(subscription)) === new FormData(form).get("subscription"))
      await subscription.unsubscribe();
  } finally {
    form.submit();
  }
}

/** @param {HTMLElement} element */
export function start(element) {
  if (!(element instanceof HTMLFormElement)) return;
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return;
  showState(element).catch(() => show(element, "button"));
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    subscribe(element).then(
      () => show(element, "done"),
      (error) => show(element, error.name === "NotAllowedError" ? "refused" : "failed"),
    );
  });
  /** @type {NodeListOf<HTMLFormElement>} */
  const removals = document.querySelectorAll(`form[action="${element.getAttribute("action") ?? ""}/remove"]`);
  for (const form of removals) form.addEventListener("submit", (event) => void switchOff(event));
}
