import { Alert, Button, List, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { newKey } from '../parts/act-key.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Facts } from '../parts/facts.tsx'
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
      text="Ends what is open at one test site and makes its references free again. Live sites can not be reset."
      actions={choice}
    >
      <div className={classes.halves}>
        <Panel title="What is done">
          <List size="sm" spacing={4}>
            <List.Item>Memberships that still renew are cancelled at once.</List.Item>
            <List.Item>
              Open authorizations are voided, and the bank gives back what it holds.
            </List.Item>
            <List.Item>
              The clock goes back to the real time. One that is ahead of it stays, because what
              happened would lie in the future.
            </List.Item>
            <List.Item>
              Order references (XTL_ORDER_ID) and login names can be used again.
            </List.Item>
            <List.Item>Card tokens that were not used are erased.</List.Item>
            <List.Item>Requests that came before are taken out of the request log.</List.Item>
          </List>
        </Panel>
        <Panel title="What stays">
          <List size="sm" spacing={4}>
            <List.Item>
              Orders, transactions, customers and saved cards, with their numbers: the books are
              never rewritten, here or at the bank.
            </List.Item>
            <List.Item>What was captured. Refund it if you want it back.</List.Item>
            <List.Item>Settings, products, users, passwords and the audit log.</List.Item>
            <List.Item>
              What the rules against card testing have counted, until their windows are over.
            </List.Item>
          </List>
        </Panel>
      </div>
      {siteId === null ? (
        <EmptyState title="There is no test site" text="Nothing can be reset." />
      ) : mayChange ? (
        <ResetForm key={siteId} siteId={siteId} />
      ) : (
        <Text size="sm" c="dimmed">
          Your role may look at this page, and not reset. An owner or admin can change that.
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
              ['Requests taken out of the log', reset.data.done.requests],
              [
                'Clock',
                reset.data.done.clocksLeft > 0
                  ? 'is ahead of the real time, and stays'
                  : 'shows the real time',
              ],
            ]}
          />
        </Alert>
      )}
    </Panel>
  )
}
