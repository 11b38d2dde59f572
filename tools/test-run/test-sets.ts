/**
 * Which runs a test file belongs to. Each run holds the one before it. The run `quick` starts no
 * browser and no database, and kills nothing. The run `default` is `npm test` and shows every
 * capability at least once. The run `all` must pass before a change is merged.
 */
export type TestSet = 'quick' | 'default' | 'all'

const SEQUENCE: readonly TestSet[] = ['quick', 'default', 'all']

interface Rule {
  readonly set: TestSet
  readonly why: string
  /** Folders, which end with a slash, and files, from the checkout's root. */
  readonly paths: readonly string[]
}

/** The longest path that fits a file decides; so a file is an exception of its folder. */
export const RULES: readonly Rule[] = [
  {
    set: 'quick',
    why: 'rules and servers inside one process',
    paths: [
      'packages/',
      'packages/gateway/test/adapters/postgres/connection/database-away.test.ts',
      'packages/gateway/test/adapters/postgres/connection/group-lane.test.ts',
      'packages/gateway/test/adapters/three-ds-server/inbound.test.ts',
      'packages/gateway/test/adapters/three-ds-server/metrics-and-journal.test.ts',
      'packages/gateway/test/adapters/three-ds-server/ranges.test.ts',
      'packages/gateway/test/adapters/three-ds-server/tls-out.test.ts',
      'packages/gateway/test/http/three-ds/limits.test.ts',
      'packages/tollgate/test/free-ports.test.ts',
      'test/canary/scanner.test.ts',
      'test/deploy/compose-file.test.ts',
      'test/docs/',
      'test/fuzz/soak-judge.test.ts',
      'test/house/',
      'test/mutation/',
      'test/simulation/',
      'test/supply-chain/',
      'test/test-run/',
      'test/three-ds/proof-document.test.ts',
      'test/three-ds/schemas/',
      'test/torture/reconcile.test.ts',
      'test/torture/refused-breaks.test.ts',
    ],
  },
  {
    set: 'default',
    why: 'a database, a program of its own, or a whole gateway',
    paths: [
      'packages/bank/test/bank-process.test.ts',
      'packages/gateway/test/adapters/credentials/',
      'packages/gateway/test/adapters/postgres/',
      'packages/gateway/test/adapters/three-ds-server/',
      'packages/gateway/test/adapters/vault/reencryption.test.ts',
      'packages/gateway/test/http/three-ds/',
      'packages/gateway/test/usecases/audit/audit-verify.test.ts',
      'packages/tollgate/test/',
      'test/',
    ],
  },
  {
    set: 'default',
    why: 'too long for a quick look: thousands of schedules, messages or handshakes',
    paths: [
      'packages/bank/test/three-ds/cards.test.ts',
      'packages/bank/test/three-ds/robustness.test.ts',
      'packages/gateway/test/http/servers/tls.test.ts',
      'packages/iso8583/test/tshark.test.ts',
      'test/simulation/dispute-crashes.test.ts',
      'test/simulation/every-crash.test.ts',
      'test/simulation/simulation.test.ts',
    ],
  },
  {
    set: 'default',
    why: 'the two browser files of `npm test`: money moved in the portal, and paid with 3-D Secure',
    paths: ['test/browser/portal-order.test.ts', 'test/browser/three-ds-shop-foreign.test.ts'],
  },
  {
    set: 'all',
    why: 'browsers: two files of them show in `npm test` that pages and gateway fit together',
    paths: ['packages/bank/test/three-ds/challenge-browser.test.ts', 'test/browser/'],
  },
  {
    set: 'all',
    why: 'minutes of kills; in `npm test` crashes are made one by one, each at its worst moment',
    paths: ['test/torture/'],
  },
  {
    set: 'all',
    why: 'every path is walked for leaks; in `npm test` planted leaks are found, and dumps searched',
    paths: ['test/canary/leak-proof.test.ts'],
  },
  {
    set: 'all',
    why: 'every target with hundreds of inputs; `npm test` has short-fuzz',
    paths: ['test/fuzz/fuzz.test.ts'],
  },
  {
    set: 'all',
    why: 'a clean clone is installed, built and started',
    paths: ['test/start-contract.test.ts'],
  },
  {
    set: 'all',
    why: 'a release is made, unpacked, installed and started; Helm is fetched; a standby follows',
    paths: [
      'test/deploy/compose-scripts.test.ts',
      'test/deploy/helm-chart.test.ts',
      'test/release/',
    ],
  },
  {
    set: 'all',
    why: 'a year or two of renewals; months of them are in renewals and site-clocks',
    paths: ['test/scenarios/membership-year.test.ts', 'test/scenarios/site-clock-moves.test.ts'],
  },
  {
    set: 'all',
    why: 'load: thousands of clients or payments, six workers, or all keys changed under traffic',
    paths: [
      'test/scenarios/balancers.test.ts',
      'test/scenarios/keys-under-load.test.ts',
      'test/scenarios/login-floods.test.ts',
      'test/scenarios/login-times.test.ts',
      'test/scenarios/slow-clients.test.ts',
      'test/scenarios/three-nodes.test.ts',
    ],
  },
  {
    set: 'all',
    why: 'time-outs and recoveries that are waited for as they are',
    paths: [
      'test/scenarios/database-trouble.test.ts',
      'test/scenarios/full-disk.test.ts',
      'test/scenarios/link-shares.test.ts',
      'test/scenarios/processor-links.test.ts',
      'test/scenarios/standby-promotion.test.ts',
    ],
  },
  {
    set: 'all',
    why: 'nodes of two releases are started; in `npm test` migrations run beside single statements',
    paths: ['test/scenarios/upgrade.test.ts'],
  },
  {
    set: 'all',
    why: 'a database is restored under payments; `npm test` has restored-backup and each part',
    paths: ['test/scenarios/backup-drill.test.ts'],
  },
  {
    set: 'all',
    why: 'PostgreSQL 15 of the system instead of our own',
    paths: ['test/scenarios/other-postgresql.test.ts'],
  },
]

/**
 * The smallest set that a test file belongs to.
 * @param file from the checkout's root, with slashes
 * @throws Error for a file that no rule knows
 */
export function setOf(file: string): TestSet {
  let decided: { readonly set: TestSet; readonly path: string } | null = null
  for (const { set, paths } of RULES) {
    for (const path of paths) {
      const fits = path.endsWith('/') ? file.startsWith(path) : file === path
      if (fits && path.length > (decided?.path.length ?? -1)) decided = { set, path }
    }
  }
  if (decided === null) throw new Error(`No rule of tools/test-run/test-sets.ts knows ${file}.`)
  return decided.set
}

/** Whether a run of `wanted` runs a file of `set`. */
export function holds(wanted: TestSet, set: TestSet): boolean {
  return SEQUENCE.indexOf(set) <= SEQUENCE.indexOf(wanted)
}

/** The set that an argument names. @throws Error when it names none */
export function readSet(name: string): TestSet {
  const found = SEQUENCE.find((set) => set === name)
  if (found !== undefined) return found
  throw new Error(`The set is ${name}; it can be ${SEQUENCE.join(', ')}.`)
}
