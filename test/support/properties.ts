import fc from 'fast-check'

/**
 * The seed of every property that has none of its own. `npm test` draws the same each time, so that
 * a red run is the commit's; `npm run test:all` draws again, and prints what it drew from.
 */
const SEED = Number(process.env['TOLLGATE_TEST_SEED'] ?? 414)

fc.configureGlobal({
  seed: SEED,
  reporter: (details) => {
    if (!details.failed) return
    throw new Error(
      `${fc.defaultReportMessage(details)}\n\nThe same again: TOLLGATE_TEST_SEED=${details.seed} ` +
        'before the command that runs this file.',
      { cause: details.errorInstance },
    )
  },
})

/** fast-check with our seed; no test imports it from elsewhere. */
export { fc }
