// Lets the browser install Strada, with a page for when the table is away. Secure pages alone may: elsewhere nothing.

const address = document.body.dataset.worker;

if (address && "serviceWorker" in navigator) {
  navigator.serviceWorker.register(address).catch(() => {}); // a browser that keeps nothing goes on without
}
