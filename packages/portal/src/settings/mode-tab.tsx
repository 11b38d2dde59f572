import {
  Alert,
  Badge,
  Button,
  Group,
  Paper,
  Skeleton,
  Stack,
  Text,
  Textarea,
  Title,
} from '@mantine/core'
import { IconAlertTriangle, IconBan, IconInfoCircle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type {
  ModeDifference,
  DryRun,
  GoLiveRequest,
  SiteView,
} from '@tollgate/portal-contract/answers/settings'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { Fault } from '../parts/fault.tsx'
import { When } from '../parts/when.tsx'
import { useMay, useSession } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'
import { useGoLive } from './settings-queries.ts'
import classes from './settings.module.css'
import { SITE_TABS, type SiteTab } from './site-tabs.ts'

const LEVELS = {
  blocks: { title: 'Blocking', color: 'red', icon: IconBan },
  care: { title: 'Warnings', color: 'orange', icon: IconAlertTriangle },
  info: { title: 'For information', color: 'gray', icon: IconInfoCircle },
} as const

type Operation = 'request' | 'approve' | 'refuse' | 'withdraw'

/** Moves the site between test and live: one portal user asks, another decides. */
export function ModeTab({ site }: { readonly site: SiteView }) {
  const live = useGoLive(site.id)
  const { portalUser } = useSession()
  const mayRequest = useMay('sites.go_live')
  const mayApprove = useMay('sites.approve_live')
  const [operation, setOperation] = useState<Operation | null>(null)
  const [reason, setReason] = useState('')
  if (live.error !== null && live.data === undefined)
    return <Fault error={live.error} onRetry={() => void live.refetch()} />
  if (live.data === undefined)
    return (
      <Stack>
        {[1, 2, 3].map((at) => (
          <Skeleton key={at} height={60} maw={700} />
        ))}
      </Stack>
    )
  const { dryRun, requests } = live.data
  const open = requests.find(({ state }) => state === 'open')
  const isMine = open?.requestedBy.id === portalUser.id
  const blocked = dryRun.lines.filter(({ level }) => level === 'blocks').length
  const path = { siteId: site.id, id: open?.id ?? '' }

  const run = async (): Promise<void> => {
    try {
      if (operation === 'request')
        await call(routes.goLive.request, { path, body: { digest: dryRun.digest, reason } })
      else if (operation === 'refuse') await call(routes.goLive.refuse, { path, body: { reason } })
      else if (operation !== null) await call(routes.goLive[operation], { path })
    } finally {
      await queryClient.invalidateQueries({ queryKey: ['settings'] })
    }
    setReason('')
    if (operation === 'approve') {
      void queryClient.invalidateQueries({ queryKey: ['session'] })
      showDone(
        `The site is in ${open?.wantedMode} mode. The change takes effect within ${site.changeDelaySeconds} seconds.`,
      )
    } else
      showDone(
        operation === 'request'
          ? 'Request sent. Another user must decide within 24 hours.'
          : operation === 'refuse'
            ? 'Request refused.'
            : 'Request withdrawn.',
      )
  }

  return (
    <Stack className={classes.panel}>
      <Text size="sm">
        The site is in <strong>{site.mode} mode</strong>. An owner requests {dryRun.to} mode, and
        another user with the permission to approve decides within 24 hours. The requests of your
        programs stay the same.
      </Text>
      {open !== undefined && (
        <Paper withBorder p="md" role="region" aria-label="Open request">
          <Stack gap="sm">
            <Title order={2} size="h5">
              {open.requestedBy.name} requested {open.wantedMode} mode
            </Title>
            <Text size="sm">
              Requested <When at={open.requestedAt} />, expires <When at={open.expiresAt} />.
              {open.reason !== '' && ` “${open.reason}”`}
            </Text>
            <Text size="sm" c="dimmed">
              {isMine
                ? 'You made this request, so another user must decide. You can withdraw it.'
                : mayApprove
                  ? 'Review the changes below. If any of them changes before you approve, the request becomes invalid and must be made again.'
                  : 'Your role cannot decide this request.'}
            </Text>
            <Group gap="xs">
              {mayApprove && !isMine && (
                <Button color="red" onClick={() => setOperation('approve')}>
                  Approve {open.wantedMode} mode
                </Button>
              )}
              {mayApprove && !isMine && (
                <Button variant="default" onClick={() => setOperation('refuse')}>
                  Refuse request
                </Button>
              )}
              {isMine && (
                <Button variant="default" onClick={() => setOperation('withdraw')}>
                  Withdraw request
                </Button>
              )}
            </Group>
          </Stack>
        </Paper>
      )}
      <Group justify="space-between" gap="sm">
        <Title order={2} size="h5">
          Changes in {dryRun.to} mode
        </Title>
        {open === undefined && mayRequest && (
          <Button onClick={() => setOperation('request')} disabled={blocked > 0}>
            Request {dryRun.to} mode
          </Button>
        )}
      </Group>
      {open === undefined && mayRequest && blocked > 0 && (
        <Text size="sm" c="dimmed">
          Resolve the blocking items first.
        </Text>
      )}
      <Lines dryRun={dryRun} siteId={site.id} />
      <History requests={requests.filter(({ state }) => state !== 'open')} />
      <Confirm
        opened={operation !== null}
        title={TITLES[operation ?? 'request'](open?.wantedMode ?? dryRun.to)}
        action={ACTIONS[operation ?? 'request'](open?.wantedMode ?? dryRun.to)}
        dangerous={operation === 'approve'}
        onClose={() => setOperation(null)}
        onConfirm={run}
      >
        {operation === 'approve' && (
          <Alert color="orange">
            {open?.wantedMode === 'live'
              ? `The site's payments are real from then on. ${dryRun.lines.filter(({ level }) => level === 'care').length} lines are warnings.`
              : 'The site takes no real payments from then on.'}
          </Alert>
        )}
        {(operation === 'request' || operation === 'refuse') && (
          <Textarea
            label={operation === 'request' ? 'Reason (for the approver)' : 'Reason'}
            maxLength={500}
            autosize
            minRows={2}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        )}
        {operation === 'withdraw' && <Text size="sm">You can make a new request at any time.</Text>}
      </Confirm>
    </Stack>
  )
}

const TITLES: Readonly<Record<Operation, (mode: string) => string>> = {
  request: (mode) => `Request ${mode} mode?`,
  approve: (mode) => `Approve ${mode} mode?`,
  refuse: () => 'Refuse request?',
  withdraw: () => 'Withdraw request?',
}

const ACTIONS: Readonly<Record<Operation, (mode: string) => string>> = {
  request: (mode) => `Request ${mode} mode`,
  approve: (mode) => `Approve ${mode} mode`,
  refuse: () => 'Refuse request',
  withdraw: () => 'Withdraw request',
}

function Lines({ dryRun, siteId }: { readonly dryRun: DryRun; readonly siteId: string }) {
  return (['blocks', 'care', 'info'] as const).map((level) => {
    const lines = dryRun.lines.filter((line) => line.level === level)
    if (lines.length === 0) return null
    const { title, color } = LEVELS[level]
    return (
      <section key={level} aria-label={title}>
        <Group gap="xs" mb="xs">
          <Badge color={color}>{title}</Badge>
          <Text size="xs" c="dimmed">
            {lines.length}
          </Text>
        </Group>
        <Stack gap="xs">
          {lines.map((line) => (
            <Line key={`${line.key} ${line.title}`} line={line} siteId={siteId} />
          ))}
        </Stack>
      </section>
    )
  })
}

/** The place where a line is corrected: a tab of the site, or a page. */
const TABS: Readonly<Record<string, SiteTab>> = {
  published_token_key: 'tokens',
  any_origin: 'tokens',
  card_testing: 'card-testing',
  checks_off: 'checks',
  cvv_not_required: 'checks',
  any_return_host: 'three-ds',
  catalogue: 'general',
}
const PAGES: Readonly<Record<string, readonly [path: string, label: string]>> = {
  published_users: ['/settings/api-users', 'API users'],
  no_user: ['/settings/api-users', 'API users'],
  users_from_everywhere: ['/settings/api-users', 'API users'],
  open_authorizations: ['/open-authorizations', 'Open authorizations'],
  running_memberships: ['/memberships', 'Memberships'],
}

function Way({ line, siteId }: { readonly line: ModeDifference; readonly siteId: string }) {
  const tab = TABS[line.key]
  if (tab !== undefined)
    return (
      <Link className="link" to="/settings/sites/$siteId" params={{ siteId }} search={{ tab }}>
        {SITE_TABS[tab]}
      </Link>
    )
  const page = PAGES[line.key]
  return page === undefined ? null : (
    <Link className="link" to={page[0]}>
      {page[1]}
    </Link>
  )
}

function Line({ line, siteId }: { readonly line: ModeDifference; readonly siteId: string }) {
  const { icon: LevelIcon, color } = LEVELS[line.level]
  return (
    <Paper withBorder px="sm" py={8}>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Text c={color} span lh={1} pt={3}>
          <LevelIcon size={16} aria-hidden />
        </Text>
        <div>
          <Text size="sm" fw={600}>
            {line.title}
          </Text>
          <Text size="sm" c="dimmed">
            {line.text}{' '}
            <span className={classes.way}>
              <Way line={line} siteId={siteId} />
            </span>
          </Text>
        </div>
      </Group>
    </Paper>
  )
}

function History({ requests }: { readonly requests: readonly GoLiveRequest[] }) {
  if (requests.length === 0) return null
  return (
    <section aria-label="Earlier requests">
      <Title order={2} size="h5" mb="xs">
        Earlier requests
      </Title>
      <Stack gap={4}>
        {requests.map((request) => (
          <Text key={request.id} size="sm">
            <When at={request.requestedAt} /> {request.requestedBy.name} requested{' '}
            {request.wantedMode} mode: {ENDS[request.state]}
            {request.decidedBy === null || request.state === 'withdrawn'
              ? ''
              : ` by ${request.decidedBy}`}
            {request.decisionReason === '' ? '' : ` (“${request.decisionReason}”)`}
          </Text>
        ))}
      </Stack>
    </section>
  )
}

const ENDS: Readonly<Record<GoLiveRequest['state'], string>> = {
  open: 'open',
  approved: 'approved',
  refused: 'refused',
  withdrawn: 'withdrawn',
  void: 'invalid, because the site changed',
  expired: 'expired after 24 hours',
}
