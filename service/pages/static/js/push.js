// @ts-check
/**
 * The button that switches on notifications in this browser: it subscribes to the browser's push service, and
 * sends the subscription to the server.
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

/** @param {HTMLFormElement} form */
async function subscribe(form) {
  const registration = await navigator.serviceWorker.register("/service-worker.js");
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: form.dataset.key,
  });
  const { endpoint, keys } = subscription.toJSON();
  const data = new FormData(form);
  data.set("endpoint", endpoint ?? "");
  data.set("p256dh", keys?.["p256dh"] ?? "");
  data.set("auth", keys?.["auth"] ?? "");
  const response = await fetch(form.action, { method: "POST", body: data });
  if (!response.ok) throw new Error(`status ${String(response.status)}`);
}

/** @param {HTMLElement} element */
export function start(element) {
  if (!(element instanceof HTMLFormElement)) return;
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return;
  show(element, Notification.permission === "denied" ? "refused" : "button");
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    subscribe(element).then(
      () => show(element, "done"),
      () => show(element, "refused"),
    );
  });
}
