// Search in pages that were opened as files, where browsers start no Worker: its program runs in a frame that nobody sees.
if (location.protocol == "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.worker = this;
      document.documentElement.append(this.frame);
      const inside = this.frame.contentDocument;
      inside.open();
      inside.write(
        "<!doctype html><body><script>(function " + IFrameWorker.prepare + ")()</script>",
        '<script src="' + new URL(url, location.href).href.replaceAll('"', "%22") + '" onload="frameElement.worker.begin()"></script>',
      );
      inside.close();
    }

    // Runs in the frame: what a Worker finds there.
    static prepare() {
      self.postMessage = data => frameElement.worker.dispatchEvent(new parent.MessageEvent("message", {data}));
      self.importScripts = (...urls) => urls.reduce((before, url) => before.then(() => new Promise(done => {
        const script = document.createElement("script");
        script.src = url;
        script.onload = script.onerror = done;
        document.body.append(script);
      })), Promise.resolve());
    }

    begin() {
      const waiting = this.waiting;
      this.waiting = null;
      waiting.forEach(data => this.postMessage(data));
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.frame.contentWindow.dispatchEvent(new this.frame.contentWindow.MessageEvent("message", {data}));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
