// @ts-check
/**
 * What makes the site an application that can be installed: it registers the service worker, and shows on the icon of the
 * application in how many games it is the player's turn.
 */

const MILLISECONDS_BETWEEN_READS = 5000;

let lastRead = 0;

/** Register the service worker. It is given what this page needs, because it was loaded without the worker. */
export async function register() {
  if (!("serviceWorker" in navigator)) return;
  const isControlled = navigator.serviceWorker.controller !== null;
  const registration = await navigator.serviceWorker.register("/service-worker.js");
  if (isControlled || !registration) return;
  const { active } = await navigator.serviceWorker.ready;
  const entries = performance.getEntriesByType("resource").map(({ name }) => name);
  const files = entries.filter((name) => new URL(name).pathname.startsWith("/static/"));
  active?.postMessage({ page: location.href, files });
}

/** Show the number of turns, where the browser offers it. */
export async function showTurns() {
  if (!("setAppBadge" in navigator) || Date.now() - lastRead < MILLISECONDS_BETWEEN_READS) return;
  lastRead = Date.now();
  const isLoggedIn = document.getElementById("device-key") !== null;
  const response = isLoggedIn ? await fetch("/turns") : undefined;
  const turns = response?.ok ? (await response.json()).turns : 0;
  await (turns ? navigator.setAppBadge(turns) : navigator.clearAppBadge());
}
