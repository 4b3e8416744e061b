// @ts-check
/**
 * The service worker: it shows the notifications that a push service delivers, and opens the game of one that is
 * clicked. It keeps nothing and handles no requests.
 */

const worker = /** @type {any} */ (globalThis);

worker.addEventListener("push", (/** @type {any} */ event) => {
  const message = event.data.json();
  event.waitUntil(
    worker.registration.showNotification(message.title, {
      body: message.body,
      tag: message.tag,
      lang: message.language,
      data: message.path,
    }),
  );
});

worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(worker.clients.openWindow(event.notification.data));
});
