// SPDX-License-Identifier: MIT
// wasi.js - runs a lesson's program in the page: the few calls of WASI that it makes. Nothing is
// read from anywhere, and what it writes is kept as text. A classic script: pages are opened from
// disk, where browsers load no modules.
"use strict";

(function () {
  const OK = 0, BADF = 8, NOENT = 44, NOSYS = 52;

  /** Thrown through the program when it calls exit(). */
  class Exit extends Error {
    /** @param {number} status */
    constructor(status) {
      super("exit " + status);
      this.status = status;
    }
  }

  /** The strings as C has them, with their places.
   * @param {DataView} view
   * @param {string[]} strings
   * @param {number} pointers where the pointers go
   * @param {number} at where the bytes go */
  function putStrings(view, strings, pointers, at) {
    const encoder = new TextEncoder();
    for (const text of strings) {
      const bytes = encoder.encode(text + "\0");
      view.setUint32(pointers, at, true);
      new Uint8Array(view.buffer).set(bytes, at);
      pointers += 4;
      at += bytes.length;
    }
    return OK;
  }

  /** @param {DataView} view @param {string[]} strings @param {number} count @param {number} size */
  function putSizes(view, strings, count, size) {
    const encoder = new TextEncoder();
    let total = 0;
    for (const text of strings) total += encoder.encode(text).length + 1;
    view.setUint32(count, strings.length, true);
    view.setUint32(size, total, true);
    return OK;
  }

  /** Runs `module` from its beginning to its end.
   * @param {WebAssembly.Module} module
   * @param {string[]} args argv, the program's name first
   * @param {string[]} environment NAME=value
   * @returns {{status: number, out: string, err: string}} */
  function runProgram(module, args, environment) {
    /** @type {WebAssembly.Memory} */
    let memory;
    const texts = ["", "", ""];
    const decoders = [0, 1, 2].map(() => new TextDecoder());
    const view = () => new DataView(memory.buffer);

    const calls = {
      args_sizes_get: (count, size) => putSizes(view(), args, count, size),
      args_get: (pointers, at) => putStrings(view(), args, pointers, at),
      environ_sizes_get: (count, size) => putSizes(view(), environment, count, size),
      environ_get: (pointers, at) => putStrings(view(), environment, pointers, at),
      fd_write(file, vectors, n, written) {
        const v = view();
        let total = 0;
        if (file > 2) return BADF;
        for (let i = 0; i < n; i++) {
          const at = v.getUint32(vectors + 8 * i, true);
          const size = v.getUint32(vectors + 8 * i + 4, true);
          texts[file] += decoders[file].decode(new Uint8Array(memory.buffer, at, size),
                                               {stream: true});
          total += size;
        }
        v.setUint32(written, total, true);
        return OK;
      },
      fd_fdstat_get(file, at) {
        if (file > 2) return BADF;
        new Uint8Array(memory.buffer, at, 24).fill(0);
        view().setUint8(at, 4); // a file, no terminal
        return OK;
      },
      fd_prestat_get: () => BADF,
      fd_seek: () => BADF,
      fd_close: () => OK,
      path_open: () => NOENT,
      path_readlink: () => NOENT,
      clock_time_get(_clock, _precision, at) {
        view().setBigUint64(at, 0n, true);
        return OK;
      },
      proc_exit(status) {
        throw new Exit(status);
      },
    };
    const imports = new Proxy(calls, {get: (known, name) => known[name] || (() => NOSYS)});
    const instance = new WebAssembly.Instance(module, {wasi_snapshot_preview1: imports});
    memory = /** @type {WebAssembly.Memory} */ (instance.exports.memory);
    let status = 0;
    try {
      /** @type {Function} */ (instance.exports._start)();
    } catch (stop) {
      if (!(stop instanceof Exit)) {
        return {status: 3, out: texts[1], err: texts[2] + "\nThe program stopped: " + stop.message};
      }
      status = stop.status;
    }
    return {status, out: texts[1], err: texts[2]};
  }

  /** The bytes of a module as pack.py wrote them.
   * @param {string} packed base64 of gzip
   * @returns {Promise<WebAssembly.Module>} */
  async function unpack(packed) {
    const text = atob(packed), bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
  }

  window.labWasi = {runProgram, unpack};
})();
