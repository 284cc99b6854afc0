// Lets the browser install Strada, with a page for when the table is away. Only secure pages may; others do nothing.

const address = document.body.dataset.worker;

if (address && "serviceWorker" in navigator) {
  navigator.serviceWorker.register(address).catch(() => {}); // a browser that stores nothing goes on without
}
