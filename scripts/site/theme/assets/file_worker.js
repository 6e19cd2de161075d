// SPDX-License-Identifier: Apache-2.0
// The theme searches in a web worker. Browsers refuse workers to pages that are opened from a folder, so there the
// script of the worker runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inner = this.frame.contentWindow;
      inner.postMessage = (data) => setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
      const script = inner.document.createElement("script");
      script.src = new URL(url, location).href;
      this.loaded = new Promise((resolve) => { script.onload = resolve; });
      inner.document.body.append(script);
    }

    async postMessage(data) {
      await this.loaded;
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
