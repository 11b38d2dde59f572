import { Alert, Button, Group, MultiSelect, Radio, Select, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { WebhookEndpoint, WebhookEndpoints } from '@tollgate/portal-contract/answers/webhooks'
import * as routes from '@tollgate/portal-contract/routes'
import { useState, type ReactNode } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { useSession } from '../session/session.ts'
import { useSiteChoice } from '../session/site.ts'
import { ApiFault, call } from '../shell/api.ts'
import { typeText } from './endpoint-words.tsx'
import { webhooksChanged } from './use-endpoints.ts'

const URL_HELP =
  'The public https:// address of your program. Endpoints of test sites in a sandbox may be on ' +
  "the gateway's own machine."

interface Draft {
  readonly url: string
  /** Null for all events. */
  readonly types: readonly string[] | null
}

interface AddEndpointProps {
  readonly known: WebhookEndpoints
  readonly onClose: () => void
  readonly onMade: (made: { readonly id: string; readonly secret: string }) => Promise<void>
}

/** Asks for the site, the URL and the events of a new endpoint. */
export function AddEndpoint({ known, onClose, onMade }: AddEndpointProps) {
  const { sites } = useSession()
  const chosen = useSiteChoice().siteId
  const [siteId, setSiteId] = useState(chosen ?? sites[0]?.id ?? '')
  return (
    <EndpointForm
      title="Add endpoint"
      action="Add endpoint"
      known={known}
      first={{ url: '', types: null }}
      onClose={onClose}
      send={async ({ types, url }) =>
        onMade(await call(routes.webhooks.add, { body: { siteId, url, types: types ?? [] } }))
      }
    >
      <Select
        label="Site"
        data={sites.map(({ id, mode, name }) => ({ value: id, label: `${name} (${mode}, ${id})` }))}
        value={siteId}
        onChange={(value) => setSiteId(value ?? '')}
        allowDeselect={false}
      />
    </EndpointForm>
  )
}

interface EditEndpointProps {
  readonly known: WebhookEndpoints
  readonly endpoint: WebhookEndpoint
  readonly onClose: () => void
}

/** Changes the URL and the events of an endpoint. */
export function EditEndpoint({ endpoint, known, onClose }: EditEndpointProps) {
  const { id, types, url } = endpoint
  return (
    <EndpointForm
      title={`Edit endpoint ${id}`}
      action="Save"
      known={known}
      first={{ url, types: types.length === 0 ? null : types }}
      onClose={onClose}
      send={async (draft) => {
        await call(routes.webhooks.change, {
          path: { id },
          // Another user's change of the other field stays.
          body: {
            ...(draft.url === url ? {} : { url: draft.url }),
            ...((draft.types ?? []).join() === types.join() ? {} : { types: draft.types ?? [] }),
          },
        })
        await webhooksChanged()
        onClose()
      }}
    />
  )
}

interface EndpointFormProps {
  readonly title: string
  readonly action: string
  readonly known: WebhookEndpoints
  readonly first: Draft
  readonly onClose: () => void
  readonly send: (draft: Draft) => Promise<void>
  readonly children?: ReactNode
}

function EndpointForm({ action, children, first, known, onClose, send, title }: EndpointFormProps) {
  const [draft, setDraft] = useState(first)
  const run = useMutation({ mutationFn: () => send(draft) })
  const fault = run.error instanceof ApiFault ? run.error : null
  const faultOf = (field: string) => (fault?.field === field ? fault.message : undefined)
  const change = (changes: Partial<Draft>): void => {
    run.reset()
    setDraft({ ...draft, ...changes })
  }
  return (
    <Dialog opened onClose={onClose} title={title} size="lg">
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!run.isPending) run.mutate()
        }}
      >
        {children}
        <TextInput
          label="URL"
          description={URL_HELP}
          placeholder="https://shop.example/webhooks"
          data-autofocus
          required
          value={draft.url}
          error={faultOf('url')}
          onChange={(event) => change({ url: event.currentTarget.value })}
        />
        <TypesChoice
          types={draft.types}
          known={known.types}
          fault={faultOf('types')}
          onChange={(types) => change({ types })}
        />
        {run.error !== null && fault?.field !== 'url' && fault?.field !== 'types' && (
          <Alert color="red" role="alert">
            {run.error.message}
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={run.isPending}
            disabled={draft.url.trim() === '' || draft.types?.length === 0}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

interface TypesChoiceProps {
  readonly types: Draft['types']
  readonly known: WebhookEndpoints['types']
  readonly fault: string | undefined
  readonly onChange: (types: Draft['types']) => void
}

function TypesChoice({ fault, known, onChange, types }: TypesChoiceProps) {
  const beginnings = [...new Set(known.map(({ type }) => type.slice(0, type.indexOf('.') + 1)))]
  return (
    <>
      <Radio.Group
        label="Events"
        value={types === null ? 'all' : 'chosen'}
        onChange={(value) => onChange(value === 'all' ? null : [])}
      >
        <Group mt={4}>
          <Radio value="all" label="All events, also future types" />
          <Radio value="chosen" label="Chosen events" />
        </Group>
      </Radio.Group>
      {types !== null && (
        <MultiSelect
          label="Chosen events"
          description="payment.* stands for every type that begins with payment."
          searchable
          clearable
          maxDropdownHeight={260}
          data={beginnings.map((beginning) => ({
            group: beginning.slice(0, -1).replaceAll('_', ' '),
            items: [
              { value: beginning, label: typeText(beginning) },
              ...known
                .filter(({ type }) => type.startsWith(beginning))
                .map(({ type }) => ({ value: type, label: type })),
            ],
          }))}
          value={[...types]}
          error={fault}
          onChange={onChange}
        />
      )}
    </>
  )
}
