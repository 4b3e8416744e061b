// The global variable of static/vendor/htmx.min.js.
declare const htmx: typeof import("htmx.org").default;
