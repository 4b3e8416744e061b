// @ts-check
/**
 * Shares the picture to which a link leads: with the sheet of the system where there is one, else it is copied. A browser that can do
 * neither downloads it, as the link does without this script.
 */

/** @param {HTMLElement} element */
export function start(element) {
  const link = /** @type {HTMLAnchorElement} */ (element);

  /** @param {Event} event */
  async function share(event) {
    if (!link.hasAttribute("data-fails") && (canShareFiles() || canCopyPictures())) {
      event.preventDefault();
      link.setAttribute("aria-busy", "true");
      const isDone = await send(link).catch(() => false);
      link.removeAttribute("aria-busy");
      if (isDone) return;
      link.dataset.fails = "";
      link.click();
    }
  }

  link.addEventListener("click", share);
}

/**
 * @param {HTMLAnchorElement} link
 * @returns {Promise<boolean>} whether the picture was shared or copied, or the visitor has changed their mind
 */
async function send(link) {
  const { href, download } = link;
  if (canShareFiles()) {
    const picture = await read(href);
    try {
      await navigator.share({ files: [new File([picture], download, { type: picture.type })] });
    } catch (error) {
      return error instanceof DOMException && error.name === "AbortError";
    }
    return true;
  }
  // The browser waits for the picture itself, because only what the visitor has just pressed may copy something.
  await navigator.clipboard.write([new ClipboardItem({ "image/png": read(href) })]);
  const label = link.querySelector("span");
  if (label) label.textContent = link.dataset.copied ?? "";
  return true;
}

/** @param {string} address */
async function read(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(String(response.status));
  return await response.blob();
}

function canShareFiles() {
  return navigator.canShare?.({ files: [new File([], "picture.png", { type: "image/png" })] }) === true;
}

/** Browsers have a clipboard only on pages that came over TLS, or from this machine. */
function canCopyPictures() {
  return "ClipboardItem" in window && navigator.clipboard !== undefined;
}
