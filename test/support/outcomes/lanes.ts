/** Few enough that a slow machine does each within the time limits of banks and issuers. */
const LANES = 8

/** Does the work for each item, for a few of them at once. Rejects with the first failure. */
export async function inLanes<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = Iterator.from(items)
  const lane = async (): Promise<void> => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}
