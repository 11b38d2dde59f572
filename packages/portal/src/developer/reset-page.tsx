import { Alert, Button, List, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { EmptyState } from '../parts/empty-state.tsx'
import { Facts } from '../parts/facts.tsx'
import { newKey } from '../parts/operation-key.ts'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import classes from './developer.module.css'
import { useTestSite } from './test-site.tsx'

/** A test site begins afresh: what that means, and a button for it. */
export function ResetPage() {
  const mayChange = useMay('developer.change')
  const [siteId, choice] = useTestSite()
  return (
    <Page
      title="Reset a test site"
      text="Ends all open business of one test site and frees its references. You cannot reset live sites."
      actions={choice}
    >
      <div className={classes.halves}>
        <Panel title="Effects of a reset">
          <List size="sm" spacing={4}>
            <List.Item>Memberships are cancelled immediately.</List.Item>
            <List.Item>
              Open authorizations are voided, and the bank releases the held funds.
            </List.Item>
            <List.Item>
              The clock returns to real time. A clock ahead of real time stays as it is, because
              past events would be in the future.
            </List.Item>
            <List.Item>You can reuse order references (XTL_ORDER_ID) and login names.</List.Item>
            <List.Item>Unused card tokens are erased.</List.Item>
            <List.Item>Earlier requests are removed from the request log.</List.Item>
          </List>
        </Panel>
        <Panel title="Data that stays">
          <List size="sm" spacing={4}>
            <List.Item>
              Orders, transactions, customers and saved cards stay, with their numbers. The books
              are never rewritten, here or at the bank.
            </List.Item>
            <List.Item>Captured amounts stay captured. Refund them if needed.</List.Item>
            <List.Item>Settings, products, users, passwords and the audit log stay.</List.Item>
            <List.Item>Counts of the velocity rules stay until their windows end.</List.Item>
          </List>
        </Panel>
      </div>
      {siteId === null ? (
        <EmptyState title="No test sites" text="There is nothing to reset." />
      ) : mayChange ? (
        <ResetForm key={siteId} siteId={siteId} />
      ) : (
        <Text size="sm" c="dimmed">
          Your role can view this page but not reset a site. Ask an owner or admin for another role.
        </Text>
      )}
    </Page>
  )
}

function ResetForm({ siteId }: { readonly siteId: string }) {
  const [confirmed, setConfirmed] = useState('')
  const [key, setKey] = useState(newKey)
  const reset = useMutation({
    mutationFn: async () => {
      // A large reset is done in several goes; each goes on where the last one ended.
      for (;;) {
        const state = await call(routes.testSites.reset, { body: { key, site: siteId, confirmed } })
        if (state.doneAt !== null) return state
        await new Promise((wake) => setTimeout(wake, 500))
      }
    },
    onSuccess: () => {
      setConfirmed('')
      setKey(newKey())
      void everythingChanged()
    },
  })
  return (
    <Panel title={`Reset site ${siteId}`}>
      <Stack
        gap="sm"
        component="form"
        maw={420}
        onSubmit={(event) => {
          event.preventDefault()
          if (!reset.isPending) reset.mutate()
        }}
      >
        <TextInput
          label={`Type ${siteId} to confirm`}
          inputMode="numeric"
          autoComplete="off"
          value={confirmed}
          onChange={(event) => setConfirmed(event.currentTarget.value)}
        />
        {reset.error !== null && (
          <Alert color="red" role="alert">
            {reset.error.message}
          </Alert>
        )}
        <Button
          type="submit"
          color="red"
          disabled={confirmed.trim() !== siteId}
          loading={reset.isPending}
        >
          Reset site {siteId}
        </Button>
      </Stack>
      {reset.data !== undefined && (
        <Alert
          color="green"
          variant="light"
          mt="md"
          role="status"
          title={`Site ${siteId} was reset`}
        >
          <Facts
            facts={[
              ['Memberships cancelled', reset.data.done.memberships],
              ['Authorizations voided', reset.data.done.authorizations],
              ['References freed', reset.data.done.references],
              ['Login names freed', reset.data.done.logins],
              ['Tokens erased', reset.data.done.tokens],
              ['Requests removed from the log', reset.data.done.requests],
              [
                'Clock',
                reset.data.done.clocksLeft > 0 ? 'unchanged, ahead of real time' : 'real time',
              ],
            ]}
          />
        </Alert>
      )}
    </Panel>
  )
}
