// Keeps a live page honest: it resumes where it stopped, lets go of its connection while nobody
// looks, and says in words when it is down. The page itself is complete without this script.
(() => {
  "use strict";

  const FIRST_WAIT = 500; // ms before the first new try; doubled each time
  const LONGEST_WAIT = 30_000;
  const TRIES = 12; // about five minutes; then the reader is asked to reload
  const GRACE = 3_000; // ms a hidden tab keeps its stream, so that a glance elsewhere costs nothing
  const PULSE = 10_000; // a clock that finds it skipped 30 s knows that the machine slept

  const WORDS = {
    connecting: "Connecting …",
    live: "Live: what lands is shown without a reload.",
    down: "The live view is down; trying again. Nothing is lost: what lands meanwhile is shown when it is back.",
    lost: "The live view could not be brought back. Reload the page to see what has landed.",
    refused: "You may not see this any more: the live view has ended. Reload the page.",
    full: "Too many live views are open from here: close some of the other pages. It is tried again.",
    done: "Finished: nothing more will arrive.",
  };

  /** An EventSource that outlives its connections: htmx sees one source, which never dies by itself. */
  class Stream {
    constructor(url) {
      this.url = new URL(url, document.baseURI);
      this.last = Number(this.url.searchParams.get("after") || 0);
      this.listeners = new Map();
      this.wait = FIRST_WAIT;
      this.tries = 0;
      this.readyState = EventSource.CONNECTING;
      streams.add(this);
      say("connecting");
      this.open();
    }

    open() {
      if (this.source || this.readyState === EventSource.CLOSED || document.hidden) return;
      clearTimeout(this.timer);
      this.url.searchParams.set("after", String(this.last));
      const source = (this.source = new EventSource(this.url));
      source.onopen = () => this.opened();
      source.onerror = () => this.failed();
      for (const [name, handlers] of this.listeners) {
        for (const handler of handlers) source.addEventListener(name, handler);
      }
      source.addEventListener("message", (event) => this.seen(event));
      source.addEventListener("refused", () => this.close("refused"));
    }

    /** Let go of the connection; `open` takes it up after the last event seen. */
    release() {
      clearTimeout(this.timer);
      this.source?.close();
      this.source = null;
    }

    opened() {
      this.wait = FIRST_WAIT;
      this.tries = 0;
      this.readyState = EventSource.OPEN;
      this.onopen?.(new Event("open"));
      say("live");
    }

    seen(event) {
      const id = Number(event.lastEventId);
      if (id > this.last) this.last = id;
    }

    // The browser retries a dropped connection itself, but gives up after a 502: we never let it do either.
    failed() {
      if (this.source?.readyState === EventSource.CLOSED) this.ask();
      this.release();
      this.tries += 1;
      if (this.tries > TRIES) {
        say("lost");
        return;
      }
      say("down");
      this.timer = setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
    }

    // An EventSource is not told the status that it was answered: whether it was a refusal is asked apart.
    async ask() {
      const answer = await fetch(this.url, { method: "HEAD" }).catch(() => null);
      if (answer && [403, 404].includes(answer.status)) this.close("refused");
      if (answer?.status === 429 && this.tries <= TRIES) say("full");
    }

    again() {
      if (this.readyState === EventSource.CLOSED) return;
      this.release();
      this.wait = FIRST_WAIT;
      this.tries = 0;
      this.open();
    }

    close(state = "done") {
      this.release();
      this.readyState = EventSource.CLOSED;
      streams.delete(this);
      if (!streams.size) say(state);
    }

    addEventListener(name, handler) {
      this.listeners.set(name, [...(this.listeners.get(name) || []), handler]);
      this.source?.addEventListener(name, handler);
    }

    removeEventListener(name, handler) {
      this.listeners.set(name, (this.listeners.get(name) || []).filter((one) => one !== handler));
      this.source?.removeEventListener(name, handler);
    }
  }

  const streams = new Set();
  let said = "";

  function say(state) {
    if (state === said) return;
    said = state;
    for (const element of document.querySelectorAll("[data-stream-status]")) {
      element.dataset.streamStatus = state;
      element.textContent = WORDS[state];
    }
  }

  const everyStream = (action) => [...streams].forEach(action);
  let leaving;

  document.addEventListener("visibilitychange", () => {
    clearTimeout(leaving);
    if (document.hidden) {
      leaving = setTimeout(() => everyStream((stream) => stream.release()), GRACE);
    } else {
      everyStream((stream) => (stream.source ? undefined : stream.again()));
    }
  });
  window.addEventListener("pagehide", () => everyStream((stream) => stream.release()));
  window.addEventListener("pageshow", (event) => event.persisted && everyStream((stream) => stream.again()));
  window.addEventListener("online", () => everyStream((stream) => stream.again()));

  let pulse = Date.now();
  setInterval(() => {
    const slept = Date.now() - pulse > PULSE + 30_000;
    pulse = Date.now();
    if (slept) everyStream((stream) => stream.again());
  }, PULSE);

  // What a reader opened stays open when its row is replaced.
  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    const { target, fragment } = event.detail;
    for (const open of target.querySelectorAll("details[open][id]")) {
      fragment.querySelector(`#${CSS.escape(open.id)}`)?.setAttribute("open", "");
    }
  });

  if (window.htmx) window.htmx.createEventSource = (url) => new Stream(url);
})();
