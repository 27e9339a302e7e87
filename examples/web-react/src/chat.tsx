import { memo, useState, type FormEvent } from "react";
import type { ChatClient, Message } from "@agent-platform/web-sdk";
import { useAgent } from "@agent-platform/web-sdk/react";
import { Actions } from "./actions";

/** The conversation: what was said, what is being said, and the box to say something in. */
export function Chat() {
  const { messages, isTyping, isConnected, error, sendMessage, chat } = useAgent();
  const [text, setText] = useState("");
  const [refused, setRefused] = useState("");

  const send = (event: FormEvent): void => {
    event.preventDefault();
    if (!text.trim()) return;
    sendMessage(text).then(
      () => (setText(""), setRefused("")), // it is kept in the browser now, and goes out whatever becomes of the page
      (caught: Error) => setRefused(caught.message),
    );
  };

  return (
    <>
      <h1>Booking desk</h1>
      <p role="status">{error ? `${error.reason}: ${error.message}` : refused || (isConnected ? "Connected" : "Connecting")}</p>
      <ol className="lines" aria-label="Conversation" aria-busy={isTyping}>
        {messages.map((message) => (
          <Line key={message.id} message={message} chat={chat} />
        ))}
      </ol>
      <form className="composer" onSubmit={send}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} autoFocus />
        {isTyping && (
          <button type="button" onClick={() => chat.stop()}>
            Stop
          </button>
        )}
        <button type="submit">Send</button>
      </form>
    </>
  );
}

/** One message. It is the same object until something of it changes, so only the line that is being said renders. */
const Line = memo(({ message, chat }: { message: Message; chat: ChatClient }) => (
  <li data-role={message.role} data-status={message.status}>
    {message.content}
    <Actions message={message} chat={chat} />
    {message.status === "failed" && message.role === "user" && (
      <div className="actions">
        Not sent.
        <button onClick={() => void chat.retry(message.id)}>Send again</button>
        <button onClick={() => chat.discard(message.id)}>Forget it</button>
      </div>
    )}
  </li>
));
