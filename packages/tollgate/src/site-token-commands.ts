import type { OperatorCommand, OperatorContext } from './operator-work.ts'
import { refuse, withOperator } from './operator-work.ts'

const WITHIN = 'Running gateways apply it within 2 seconds.'

/** The forms of `tollgate sites` that are about tokens. */
export const siteTokenForms: OperatorCommand['forms'] = [
  {
    words: 'key <SITE_ID>',
    help: "shows when a site's token key was made",
    run: ({ word }, context) => describe(Number(word('SITE_ID')), context),
  },
  {
    words: 'key <SITE_ID> new',
    help: 'creates a token key; the previous one stays valid until it is retired',
    run: ({ word }, context) => makeKey(Number(word('SITE_ID')), context),
  },
  {
    words: 'key <SITE_ID> retire',
    help: 'retires the previous token key',
    run: ({ word }, context) => retireKey(Number(word('SITE_ID')), context),
  },
  {
    words: 'origins <SITE_ID>',
    help: "shows which pages may read the token service's answers",
    run: ({ word }, context) => describe(Number(word('SITE_ID')), context),
  },
  {
    words: 'origins <SITE_ID> none',
    help: 'allows no page to read them',
    run: ({ word }, context) => setOrigins(Number(word('SITE_ID')), [], context),
  },
  {
    words: 'origins <SITE_ID> <origin>...',
    help: 'allows only pages of these origins to read them',
    run: ({ word, words }, context) =>
      setOrigins(Number(word('SITE_ID')), words('origin'), context),
  },
]

async function describe(
  siteId: number,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const described = await withOperator(env, (operator) => operator.describeTokenKeys(siteId))
  if (!described.ok) return refuse(described.faults, complain)
  const { current, previous, origins } = described.summary
  if (current === null) print(`Site ${siteId} has no token key, so the token service refuses it.`)
  else print(`Site ${siteId} has a token key created on ${current.toISOString()}.`)
  if (previous !== null)
    print(`The previous one, created on ${previous.toISOString()}, is also valid.`)
  print(`Pages that may read the token service's answers: ${origins.join(' ') || 'none'}.`)
  return 0
}

async function makeKey(siteId: number, { env, print, complain }: OperatorContext): Promise<number> {
  const made = await withOperator(env, (operator) => operator.makeTokenKey(siteId))
  if (!made.ok) return refuse(made.faults, complain)
  print(`The new token key of site ${siteId}, shown only now:`)
  print(made.key.reveal())
  print(WITHIN)
  if (made.previousWorks) {
    print(`The previous key is valid until "tollgate sites key ${siteId} retire".`)
  }
  return 0
}

async function retireKey(
  siteId: number,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const retired = await withOperator(env, (operator) => operator.retireTokenKey(siteId))
  if (!retired.ok) return refuse(retired.faults, complain)
  print(`The previous token key of site ${siteId} was retired. ${WITHIN}`)
  return 0
}

async function setOrigins(
  siteId: number,
  origins: readonly string[],
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const set = await withOperator(env, (operator) => operator.setTokenOrigins(siteId, origins))
  if (!set.ok) return refuse(set.faults, complain)
  print(
    `Pages of ${origins.join(' ') || 'no origin'} may read the token service's answers for site ${siteId}. ${WITHIN}`,
  )
  return 0
}
