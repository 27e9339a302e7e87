const widget = document.querySelector("agent-widget");
const show = (id, text) => (document.getElementById(id).textContent = text);

// What happens in the conversation, told to the page. This script stands before that of the widget, so it misses nothing.
widget.addEventListener("connectionChange", ({ detail }) => show("connection", detail.state));
widget.addEventListener("message", ({ detail }) => detail.role === "assistant" && show("said", detail.content));
widget.addEventListener("error", ({ detail }) => show("connection", detail.error.reason));

// And the page's own word in it.
document.getElementById("ask").addEventListener("click", () => {
  widget.open();
  widget.send("Where is my parcel?").catch((error) => show("connection", error.reason));
});
