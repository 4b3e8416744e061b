// Fits the page of the HTTP API to the width of the screen and to the colour scheme of the reader.

const COLOURS = {
  light: {
    "bg-color": "#fbf5e6",
    "text-color": "#2a1f14",
    "primary-color": "#8a2a1f",
    "nav-bg-color": "#f6ecd4",
    "nav-text-color": "#5d4a33",
  },
  dark: {
    "bg-color": "#1d1812",
    "text-color": "#f3e9d6",
    "primary-color": "#e2856f",
    "nav-bg-color": "#272018",
    "nav-text-color": "#cbb997",
  },
};
const narrow = matchMedia("(max-width: 767px)");
const dark = matchMedia("(prefers-color-scheme: dark)");

function fit() {
  const theme = dark.matches ? "dark" : "light";
  // RapiDoc hides its navigation on narrow screens; there, the calls fold up below their headings.
  const style = narrow.matches ? "view" : "read";
  const attributes = { "render-style": style, theme, ...COLOURS[theme] };
  for (const [name, value] of Object.entries(attributes)) {
    document.querySelector("rapi-doc")?.setAttribute(name, value);
  }
}

narrow.addEventListener("change", fit);
dark.addEventListener("change", fit);
fit();
