// Nothing that a run waits for may hang for ever: each wait has an end, and the end has a name.

/** How long something may take to be seen, in milliseconds, on a machine with much else to do. */
export const PATIENCE = 60_000;
/** How long one step of a run may take, or one program that a run starts. */
export const STEP = 5 * PATIENCE;

/** What a promise gives, or an error that says what did not come in time. */
export async function within(most, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`in vain for ${most / 1_000} s: ${what}`)), most);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
