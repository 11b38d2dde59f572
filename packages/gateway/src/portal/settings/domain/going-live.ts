import type { CheckMode } from '../../../domain/payments/verification.ts'

type Mode = 'test' | 'live'

/** Everything that decides what differs for a site between its two modes. */
export interface ModeFacts {
  readonly from: Mode
  readonly to: Mode
  /** Every currency that the site takes in either mode, and by whom. */
  readonly routes: readonly {
    readonly currency: string
    readonly from: Route | null
    readonly to: Route | null
  }[]
  readonly hasOwnClock: boolean
  readonly cardTesting: 'off' | 'watch' | 'enforce'
  readonly threeDsUnavailable: 'authorize' | 'decline'
  readonly returnHosts: readonly string[]
  readonly tokenOrigins: readonly string[]
  /** Whether a token key is a published one of the sandbox. */
  readonly publishedTokenKey: boolean
  /** People of the portal whose password is a published one of the sandbox. */
  readonly publishedPeople: readonly string[]
  readonly apiUsers: {
    readonly enabled: number
    /** Published ones of the sandbox. */
    readonly published: readonly string[]
    readonly fromEverywhere: readonly string[]
    /** 0 for never. */
    readonly idleDays: number
  }
  readonly avsMode: CheckMode
  readonly cvvMode: CheckMode
  readonly cvvRequired: boolean
  readonly catalogue: {
    readonly kind: 'open' | 'strict'
    readonly active: number
    readonly defaultIsActive: boolean
  }
}

export interface Route {
  readonly accountId: string
  readonly processorName: string
  /** Name of the processor link; null for the bundled bank. */
  readonly link: string | null
  /** Whether a gateway process has it up at this moment. */
  readonly linkUp: boolean
  readonly threeDs: boolean
}

/** What traffic changes from one moment to the next; shown, but part of no decision. */
export interface LeftBehind {
  readonly openAuthorizations: number
  readonly runningMemberships: number
}

/** One line of the dry run. */
export interface Difference {
  /** What it is about, for programs. */
  readonly key: string
  /**
   * `blocks`: the site can not be moved. `care`: somebody should have thought of it. `info`: good
   * to know.
   */
  readonly level: 'blocks' | 'care' | 'info'
  readonly title: string
  readonly text: string
}

/** What will differ once the site is moved, the gravest first. */
export function differences(facts: ModeFacts): Difference[] {
  const lines = [
    ...routeLines(facts),
    ...(facts.to === 'live' ? liveLines(facts) : testLines(facts)),
    ...commonLines(facts),
  ]
  const weight = { blocks: 0, care: 1, info: 2 }
  return lines.toSorted((a, b) => weight[a.level] - weight[b.level])
}

/** What is left behind, in numbers of this moment. */
export function leftBehindLines(from: Mode, left: LeftBehind): Difference[] {
  const lines: Difference[] = []
  if (left.openAuthorizations > 0) {
    lines.push({
      key: 'open_authorizations',
      level: 'care',
      title: `${count(left.openAuthorizations, 'open authorization')} of ${from} mode`,
      text:
        'Captures, refunds and voids of them are declined with 512 while the site is in the other mode, ' +
        'and they go on expiring. What was captured already reaches its bank. Capture or void them before.',
    })
  }
  if (left.runningMemberships > 0) {
    lines.push({
      key: 'running_memberships',
      level: 'care',
      title: `${count(left.runningMemberships, 'running membership')} of ${from} mode`,
      text: 'They sleep: none is charged or ended until the site is back, and whatever became due meanwhile is done then.',
    })
  }
  return lines
}

function routeLines({ from, to, routes }: ModeFacts): Difference[] {
  const lines: Difference[] = []
  const taken = routes.filter((route) => route.to !== null)
  const lost = routes.filter((route) => route.from !== null && route.to === null)
  if (taken.length === 0) {
    lines.push({
      key: 'no_account',
      level: 'blocks',
      title: `There is no ${to} merchant account`,
      text: `The site has no ${to} merchant account, so it could take no payment. Whoever operates the gateway makes one with “tollgate accounts put”.`,
    })
  } else if (lost.length > 0) {
    const names = lost.map(({ currency }) => currency).join(', ')
    lines.push({
      key: 'currencies_lost',
      level: 'blocks',
      title: `No ${to} merchant account takes ${names}`,
      text: `The site takes ${names} today. Whoever operates the gateway gives it a ${to} account for it with “tollgate accounts put”.`,
    })
  }
  const down = new Map(
    taken.flatMap(({ to: route }) =>
      route === null || route.linkUp ? [] : [[route.link ?? 'the bundled bank', route]],
    ),
  )
  for (const [link, { accountId }] of down) {
    lines.push({
      key: 'link_down',
      level: 'blocks',
      title: `The link of account ${accountId} is down`,
      text: `No gateway process has ${link === 'the bundled bank' ? link : `the processor link “${link}”`} up at this moment; each payment would fail with 530. “tollgate links” tells why.`,
    })
  }
  for (const { currency, from: before, to: after } of taken) {
    lines.push({
      key: 'route',
      level: 'info',
      title: `${currency} is taken by ${routeText(after)}`,
      text:
        before === null
          ? `The site does not take ${currency} in ${from} mode.`
          : `Until now by ${routeText(before)}.`,
    })
  }
  return lines
}

function routeText(route: Route | null): string {
  if (route === null) return 'nobody'
  return `account ${route.accountId} (${route.processorName}, ${route.link === null ? 'the bundled bank' : `link ${route.link}`})`
}

function liveLines(facts: ModeFacts): Difference[] {
  const lines: Difference[] = [
    {
      key: 'real_money',
      level: 'care',
      title: 'Payments are real',
      text:
        'Cards are charged. Test cards are declined by a real bank, and amounts that stand for an outcome in test mode ' +
        'are ordinary amounts: 5.30 is charged as 5.30.',
    },
    {
      key: 'objects_of_test_mode',
      level: 'care',
      title: 'What was made in test mode does not exist for live requests',
      text:
        'Orders, customers, saved cards, login names, memberships, order references and card tokens of test mode are answered like ' +
        'unknown ones. A shop that keeps CUST_ID or PMT_ID values of test customers must not send them. They are back when the site is.',
    },
  ]
  if (facts.hasOwnClock) {
    lines.push({
      key: 'own_clock',
      level: 'care',
      title: "The site's own clock is removed",
      text: 'It goes by the real time from then on. Orders and memberships of test mode keep the dates they were given.',
    })
  }
  const { apiUsers } = facts
  if (facts.publishedTokenKey) {
    lines.push({
      key: 'published_token_key',
      level: 'blocks',
      title: 'The token key is the published one of the sandbox',
      text: 'Everybody knows it. Make a new one on the tab Card fields, put it into the shop, and retire the old one.',
    })
  }
  if (apiUsers.published.length > 0) {
    lines.push({
      key: 'published_users',
      level: 'blocks',
      title: `API user with a published password: ${apiUsers.published.join(', ')}`,
      text: 'Everybody knows the password of the sandbox. Give the user a new password and retire the first, or disable it.',
    })
  }
  if (facts.publishedPeople.length > 0) {
    lines.push({
      key: 'published_people',
      level: 'blocks',
      title: `Person with a published password: ${facts.publishedPeople.join(', ')}`,
      text: 'Everybody knows the password of the sandbox, and could refund and charge cards here. The person has to change it under My account, or an owner to disable them.',
    })
  }
  if (facts.tokenOrigins.includes('*')) {
    lines.push({
      key: 'any_origin',
      level: 'care',
      title: "Pages of any origin may read the token service's answers",
      text: 'Name the origins of the shop instead of * on the tab Card fields, so that no foreign page can make tokens in its name.',
    })
  }
  if (apiUsers.enabled === 0) {
    lines.push({
      key: 'no_user',
      level: 'care',
      title: 'No API user is enabled',
      text: 'No shop can send a request. Make or enable an API user.',
    })
  }
  if (apiUsers.fromEverywhere.length > 0) {
    lines.push({
      key: 'users_from_everywhere',
      level: 'care',
      title: `API users that may come from everywhere: ${apiUsers.fromEverywhere.join(', ')}`,
      text: 'A stolen password works from any network. Name the networks of your servers on the page API users.',
    })
  }
  if (apiUsers.idleDays > 0) {
    lines.push({
      key: 'idle_days',
      level: 'info',
      title: `API users are refused after ${apiUsers.idleDays} idle days`,
      text: 'A user that sends nothing for so long is answered 102 until somebody enables it again.',
    })
  }
  lines.push(...checkLines(facts))
  return lines
}

function checkLines(facts: ModeFacts): Difference[] {
  const lines: Difference[] = []
  const isOff = (mode: CheckMode): boolean => mode === 'F' || mode === 'I'
  if (isOff(facts.avsMode) && isOff(facts.cvvMode)) {
    lines.push({
      key: 'checks_off',
      level: 'care',
      title: 'Neither address nor security code decides anything',
      text: 'An approval stands whatever the bank says of them (modes I and F). Requests may still ask for a check themselves.',
    })
  }
  if (!facts.cvvRequired) {
    lines.push({
      key: 'cvv_not_required',
      level: 'info',
      title: 'Payments without a security code are taken',
      text: 'Where the shop leaves PMT_KEY out the bank is asked all the same.',
    })
  }
  if (facts.cardTesting !== 'enforce') {
    lines.push({
      key: 'card_testing',
      level: 'care',
      title:
        facts.cardTesting === 'off'
          ? 'There is no defence against card testing'
          : 'The defence against card testing only watches',
      text: 'Somebody who tries stolen cards at the shop is not stopped, and each try costs a fee. Set rules on the tab Card testing.',
    })
  }
  return lines
}

function testLines(facts: ModeFacts): Difference[] {
  return [
    {
      key: 'no_real_money',
      level: 'care',
      title: 'No real payment is taken any more',
      text: 'Shops that go on selling get approvals of the test bank, and nobody is charged. Close the shop, or point it at another site.',
    },
    {
      key: 'objects_of_live_mode',
      level: 'care',
      title: 'What was made in live mode does not exist for requests',
      text:
        'Orders, customers, saved cards and memberships of live mode are answered like unknown ones until the site is back. ' +
        'Queued captures, refunds and reversals still go to their bank.',
    },
    ...(facts.cardTesting === 'enforce'
      ? [
          {
            key: 'card_testing',
            level: 'info',
            title: 'Rules against card testing stay in force',
            text: 'Many test payments with one card or amount are refused with 215 or 601.',
          } as const,
        ]
      : []),
  ]
}

function commonLines(facts: ModeFacts): Difference[] {
  const lines: Difference[] = []
  const routes = facts.routes.flatMap(({ to }) => (to === null ? [] : [to]))
  const without = [
    ...new Set(routes.filter(({ threeDs }) => !threeDs).map(({ accountId }) => accountId)),
  ]
  if (without.length > 0) {
    const outcome =
      facts.threeDsUnavailable === 'decline'
        ? 'declined'
        : 'sent to the bank without authentication'
    lines.push({
      key: 'no_three_ds',
      level: 'care',
      title: `No 3-D Secure with account ${without.join(', ')}`,
      text: `The account has no registration with the Directory Servers: payments that ask for 3-D Secure are ${outcome}.`,
    })
  }
  if (facts.to === 'live' && facts.returnHosts.length === 0 && without.length < routes.length) {
    lines.push({
      key: 'any_return_host',
      level: 'info',
      title: 'P3DS_RETURN_URL may name any host',
      text: 'In live mode it must be https. Name the hosts of the shop on the tab 3-D Secure.',
    })
  }
  const { kind, active, defaultIsActive } = facts.catalogue
  lines.push(
    kind === 'open'
      ? {
          key: 'catalogue',
          level: 'info',
          title: 'The catalogue is open',
          text: 'Any product id is sold. The catalogue is the same in both modes.',
        }
      : {
          key: 'catalogue',
          level: active === 0 || !defaultIsActive ? 'care' : 'info',
          title: `The catalogue is strict, with ${count(active, 'product')} switched on`,
          text: defaultIsActive
            ? 'Only these are sold. The catalogue is the same in both modes.'
            : 'The default product is not among them: lines that name no product are refused. The catalogue is the same in both modes.',
        },
  )
  return lines
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
