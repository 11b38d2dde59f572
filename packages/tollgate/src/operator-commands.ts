import { loadConfig, type GatewayConfig } from '@tollgate/gateway/config'
import { openOperator, type LinkSummary, type Operator } from '@tollgate/gateway/operator'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { runningDatabaseUrl } from './running-database.ts'
import { siteTokens } from './site-token-commands.ts'
import { StartupError } from './startup-error.ts'
import type { Terminal } from './terminal.ts'

type Secret = NonNullable<GatewayConfig['databaseUrl']>
type Environment = Readonly<Record<string, string | undefined>>

/** One command of an operator: its arguments, and the exit code that it comes to. */
export type OperatorCommand = (
  args: readonly string[],
  env: Environment,
  terminal: Terminal,
) => Promise<number>

/** `tollgate links` and `tollgate links put <file>`. */
export const links: OperatorCommand = async (args, env, { print, complain }) => {
  const [what, path, ...rest] = args
  if (what === undefined) {
    const listed = await withOperator(env, (operator) => operator.listLinks())
    const { host, port } = requireConfig(env).bank
    const at = port === 0 ? `${host}, any free port` : `${host}:${port}`
    print(`the bundled bank: test, ${at}, profile house, TLS off`)
    for (const line of listed.flatMap(linkLines)) print(line)
    return 0
  }
  if (what !== 'put' || path === undefined || rest.length > 0) {
    complain('Usage: tollgate links | tollgate links put <file.json>')
    return 1
  }
  const text = readText(path)
  const put = await withOperator(env, (operator) => operator.putLink(text, dirname(path)))
  if (!put.ok) return refuse(put.faults, complain)
  for (const warning of put.warnings) complain(`Warning: ${warning}`)
  print(`Link ${put.name} was ${put.created ? 'made' : 'changed'}.`)
  print('Gateways that are running take it up within seconds, once an account uses it.')
  return 0
}

/** `tollgate accounts put <file>`. */
export const accounts: OperatorCommand = async (args, env, { print, complain }) => {
  const [what, path, ...rest] = args
  if (what !== 'put' || path === undefined || rest.length > 0) {
    complain('Usage: tollgate accounts put <file.json>')
    return 1
  }
  const text = readText(path)
  const put = await withOperator(env, (operator) => operator.putAccount(text))
  if (!put.ok) return refuse(put.faults, complain)
  print(`Account ${put.id} was ${put.created ? 'made' : 'changed'}.`)
  return 0
}

/** `tollgate sites set-mode|key|origins <site> ...`. */
export const sites: OperatorCommand = async (args, env, { print, complain }) => {
  const [what, site = '', mode, ...rest] = args
  if (what === 'key' || what === 'origins') {
    return siteTokens(args, { print, complain }, (work) => withOperator(env, work))
  }
  const isMode = mode === 'test' || mode === 'live'
  if (what !== 'set-mode' || !/^[1-9][0-9]{0,14}$/.test(site) || !isMode || rest.length > 0) {
    complain('Usage: tollgate sites set-mode <SITE_ID> test|live | sites key|origins <SITE_ID> ...')
    return 1
  }
  const set = await withOperator(env, (operator) => operator.setSiteMode(Number(site), mode))
  if (!set.ok) return refuse(set.faults, complain)
  const { from, routes } = set.change
  print(`Site ${site} is in ${mode} mode; gateways that are running know it within 2 seconds.`)
  for (const { currency, from: before, to } of routes)
    print(`  ${currency}: ${to} (was: ${before})`)
  print(
    `Orders, customers, saved cards and order references of ${from} mode do not exist for it now; ` +
      `they are back once it is in ${from} mode again. What was queued for their bank still goes there.`,
  )
  return 0
}

/** Tells the faults; gives the exit code. */
export function refuse(faults: readonly string[], complain: Terminal['complain']): number {
  for (const fault of faults) complain(fault)
  complain('Nothing was changed.')
  return 1
}

function linkLines({ states, ...link }: LinkSummary): string[] {
  const used = link.accounts.length === 0 ? 'no account' : `accounts ${link.accounts.join(', ')}`
  const head =
    `${link.name}: ${link.mode}, ${link.addresses.join(' and ')}, profile ${link.profile}, ` +
    `institution ${link.institutionId}, TLS ${link.tls}, ${used}`
  if (states.length === 0) return [head, '  no gateway has it open']
  return [
    head,
    ...states.map(({ worker, state, address, signedOnSince, lastError, inFlight }) => {
      const since = signedOnSince === null ? '' : ` since ${signedOnSince.toISOString()}`
      const last = lastError === null ? '' : `; last fault: ${lastError}`
      return `  ${worker}: ${state.replace('_', ' ')} at ${address}${since}, ${inFlight} in flight${last}`
    }),
  ]
}

export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new StartupError(
      `The file ${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    )
  }
}

function requireConfig(env: Environment) {
  const loaded = loadConfig(env)
  if (!loaded.ok) throw new StartupError(loaded.problems.join('\n'))
  return loaded.config
}

/** Lends what does an operator's work, on the database that the settings name or that runs here. */
export function withOperator<T>(
  env: Environment,
  work: (operator: Operator) => Promise<T>,
): Promise<T> {
  return withOpened(env, openOperator, work)
}

/** Opens something on the database that the gateways use, and closes it after the work. */
export async function withOpened<Opened extends { close(): Promise<void> }, T>(
  env: Environment,
  open: (options: GatewayConfig & { readonly databaseUrl: Secret }) => Promise<Opened>,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  let config = requireConfig(env)
  if (config.databaseUrl === null) {
    const found = runningDatabaseUrl(config)
    if (found === null) {
      throw new StartupError(
        `No Tollgate is running on ${config.dataDir}. Start it first, or set DATA_DIR or DATABASE_URL.`,
      )
    }
    config = requireConfig({ ...env, DATABASE_URL: found })
  }
  const { databaseUrl } = config
  if (databaseUrl === null) throw new StartupError('DATABASE_URL is not set.')
  let opened: Opened
  try {
    opened = await open({ ...config, databaseUrl })
  } catch (error) {
    throw new StartupError(
      `The database cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}
