#!/usr/bin/env node
// A server that announces a semantic index: the one under test, with that in its answer to `initialize`, and an answer to
// `gazetteer/index`. Everything else passes through as it is.
import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";

const server = spawn(process.env.GAZETTEER_TEST_SERVER, process.argv.slice(2), { stdio: ["pipe", "pipe", "inherit"] });
server.once("exit", (code) => process.exit(code ?? 1));

/** Call `take` with each message of a stream. */
function follow(stream, take) {
  let held = Buffer.alloc(0);
  stream.on("data", (part) => {
    held = Buffer.concat([held, part]);
    for (;;) {
      const head = held.indexOf("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/i.exec(held.subarray(0, head))?.[1]);
      if (head < 0 || held.length < head + 4 + length) return;
      take(JSON.parse(held.subarray(head + 4, head + 4 + length)));
      held = held.subarray(head + 4 + length);
    }
  });
}

function send(stream, message) {
  const body = Buffer.from(JSON.stringify(message));
  stream.write(`Content-Length: ${body.length}\r\n\r\n`);
  stream.write(body);
}

if (process.argv[2] === "serve") {
  follow(process.stdin, (message) => {
    if (message.method === "gazetteer/index") {
      const error = message.params.semantic === true ? undefined : { code: -32602, message: "semantic is not set" };
      send(process.stdout, { jsonrpc: "2.0", id: message.id, ...(error ? { error } : { result: { vectors: 9 } }) });
      return;
    }
    send(server.stdin, message);
  });
  follow(server.stdout, (message) => {
    if (message.result?.capabilities) message.result.capabilities.experimental = { gazetteer: { semantic: true } };
    send(process.stdout, message);
  });
  process.stdin.once("end", () => server.stdin.end());
} else {
  server.stdout.pipe(process.stdout);
}
