// @ts-check
/**
 * Which part of what stands beside a board is shown. A reader's choice stays while the page is replaced, and on other pages of
 * the same game. Messages that are shown count as read.
 */

/** The choice for each address of a game. @type {Map<string, string>} */
const chosen = new Map();

/** @param {HTMLElement} tabs */
export function start(tabs) {
  const ending = new AbortController();
  const { signal } = ending;
  const { pathname } = location;
  const choice = document.getElementById(chosen.get(pathname) ?? "");
  if (choice instanceof HTMLInputElement && tabs.contains(choice)) choice.checked = true;
  read();

  tabs.addEventListener("change", (event) => {
    chosen.set(pathname, /** @type {HTMLElement} */ (event.target).id);
    read();
  });
  // What opens them on a phone.
  document.getElementById("side")?.addEventListener("toggle", read, { signal });
  document.addEventListener("visibilitychange", read, { signal });
  // Others show the new messages first.
  document.addEventListener("page-read", () => setTimeout(read), { signal });
  return () => ending.abort();

  function read() {
    const isShown = tabs.isConnected && tabs.checkVisibility() && !document.hidden;
    if (isShown && tabs.querySelector("#show-messages:checked")) void markAsRead();
  }
}

/** Mark the messages as read; the page then says so wherever it counts them. */
async function markAsRead() {
  const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form[data-read]"));
  if (!form) return;
  form.remove();
  await fetch(form.action, { method: "POST", body: new FormData(form), redirect: "manual", keepalive: true });
  document.dispatchEvent(new CustomEvent("messages-read"));
}
