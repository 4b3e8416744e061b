// @ts-check
/**
 * Shares or copies the link `data-link`: the sheet of the system is asked for where there is one, else the link is copied.
 * With `data-copy`, it is copied always. A button is hidden until it can do what it says.
 */

/** @param {HTMLElement} element */
export function start(element) {
  const { link = "", title = "", copy } = element.dataset;
  const canShare = copy === undefined && "share" in navigator;
  if (canShare || copy !== undefined) element.hidden = false;

  /** @param {Event} event */
  function share(event) {
    event.preventDefault();
    if (canShare) navigator.share({ title, url: link }).catch(() => undefined);
    else void copyLink(link);
  }

  element.addEventListener("click", share);
}

/** @param {string} link */
async function copyLink(link) {
  const field = document.getElementById("invitation-link");
  // Only pages that are served by HTTPS have a clipboard.
  if (navigator.clipboard) await navigator.clipboard.writeText(link);
  else if (field instanceof HTMLInputElement) {
    field.select();
    document.execCommand("copy");
  }
  const status = document.getElementById("share-status");
  if (status) status.textContent = status.dataset.copied ?? "";
}
