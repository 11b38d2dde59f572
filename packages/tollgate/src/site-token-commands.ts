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
    help: 'makes a new token key; the one before works as well until it is retired',
    run: ({ word }, context) => makeKey(Number(word('SITE_ID')), context),
  },
  {
    words: 'key <SITE_ID> retire',
    help: 'ends the token key before the present one',
    run: ({ word }, context) => retireKey(Number(word('SITE_ID')), context),
  },
  {
    words: 'origins <SITE_ID>',
    help: "shows which pages may read the token service's answers",
    run: ({ word }, context) => describe(Number(word('SITE_ID')), context),
  },
  {
    words: 'origins <SITE_ID> none',
    help: 'lets no page read them',
    run: ({ word }, context) => setOrigins(Number(word('SITE_ID')), [], context),
  },
  {
    words: 'origins <SITE_ID> <origin>...',
    help: 'lets pages of these origins read them, and no others',
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
  else print(`Site ${siteId} has a token key made on ${current.toISOString()}.`)
  if (previous !== null)
    print(`The one before it, made on ${previous.toISOString()}, works as well.`)
  print(`Pages that may read the token service's answers: ${origins.join(' ') || 'none'}.`)
  return 0
}

async function makeKey(siteId: number, { env, print, complain }: OperatorContext): Promise<number> {
  const made = await withOperator(env, (operator) => operator.makeTokenKey(siteId))
  if (!made.ok) return refuse(made.faults, complain)
  print(`The new token key of site ${siteId}, shown this once:`)
  print(made.key.reveal())
  print(WITHIN)
  if (made.previousWorks) {
    print(`The key before it works until "tollgate sites key ${siteId} retire".`)
  }
  return 0
}

async function retireKey(
  siteId: number,
  { env, print, complain }: OperatorContext,
): Promise<number> {
  const retired = await withOperator(env, (operator) => operator.retireTokenKey(siteId))
  if (!retired.ok) return refuse(retired.faults, complain)
  print(`The older token key of site ${siteId} is gone. ${WITHIN}`)
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
