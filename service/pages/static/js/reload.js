// @ts-check
/** A page that is loaded again when the event stream of its game reports an event. */

/** @param {HTMLElement} element */
export function start(element) {
  const { stream } = element.dataset;
  if (!stream) return undefined;
  const source = new EventSource(stream);
  const reload = () => {
    source.close();
    window.location.reload();
  };
  source.onmessage = reload;
  source.addEventListener("end", reload);
  return () => source.close();
}
