// Asks the hand at this window which suite is to be run, runs it, and tells how it went.
const HAND = process.env.GAZETTEER_TEST_HAND;

exports.activate = () => void run();

async function run() {
  const module = await (await fetch(HAND)).text();
  let problem = "";
  try {
    await require(module).run();
  } catch (error) {
    problem = String(error?.stack ?? error);
  }
  await fetch(HAND, { method: "POST", body: JSON.stringify(["done", problem]) });
}
