import type { Operator } from '@tollgate/gateway/operator'
import type { Terminal } from './terminal.ts'

type Operate = <T>(work: (operator: Operator) => Promise<T>) => Promise<T>

const USAGE =
  'Usage: tollgate sites key <SITE_ID> [new|retire] | tollgate sites origins <SITE_ID> [<origin>...|none]'
const WITHIN = 'Gateways that are running know it within 2 seconds.'

/** `tollgate sites key ...` and `tollgate sites origins ...`; gives the exit code. */
export async function siteTokens(
  args: readonly string[],
  { print, complain }: Terminal,
  operate: Operate,
): Promise<number> {
  const [what, site = '', ...rest] = args
  const refuse = (faults: readonly string[]): number => {
    for (const fault of faults) complain(fault)
    complain('Nothing was changed.')
    return 1
  }
  if (!/^[1-9][0-9]{0,14}$/.test(site) || (what === 'key' && rest.length > 1)) {
    complain(USAGE)
    return 1
  }
  const siteId = Number(site)
  if (rest.length === 0) {
    const described = await operate((operator) => operator.describeTokenKeys(siteId))
    if (!described.ok) return refuse(described.faults)
    const { current, previous, origins } = described.summary
    if (current === null) print(`Site ${siteId} has no token key, so the token service refuses it.`)
    else print(`Site ${siteId} has a token key made on ${current.toISOString()}.`)
    if (previous !== null)
      print(`The one before it, made on ${previous.toISOString()}, works as well.`)
    print(`Pages that may read the token service's answers: ${origins.join(' ') || 'none'}.`)
    return 0
  }
  switch (what === 'key' ? rest[0] : what) {
    case 'new': {
      const made = await operate((operator) => operator.makeTokenKey(siteId))
      if (!made.ok) return refuse(made.faults)
      print(`The new token key of site ${siteId}, shown this once:`)
      print(made.key.reveal())
      print(WITHIN)
      if (made.previousWorks) {
        print(`The key before it works until "tollgate sites key ${siteId} retire".`)
      }
      return 0
    }
    case 'retire': {
      const retired = await operate((operator) => operator.retireTokenKey(siteId))
      if (!retired.ok) return refuse(retired.faults)
      print(`The older token key of site ${siteId} is gone. ${WITHIN}`)
      return 0
    }
    case 'origins': {
      const origins = rest.length === 1 && rest[0] === 'none' ? [] : rest
      const set = await operate((operator) => operator.setTokenOrigins(siteId, origins))
      if (!set.ok) return refuse(set.faults)
      print(
        `Pages of ${origins.join(' ') || 'no origin'} may read the token service's answers for site ${siteId}. ${WITHIN}`,
      )
      return 0
    }
    default:
      complain(USAGE)
      return 1
  }
}
