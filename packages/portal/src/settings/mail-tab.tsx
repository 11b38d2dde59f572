import { Alert, Checkbox, Fieldset, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core'
import type { MailSettings, SiteMailView } from '@tollgate/portal-contract/answers/mail'
import type { SiteView } from '@tollgate/portal-contract/answers/settings'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Fault } from '../parts/fault.tsx'
import { useMay } from '../session/session.ts'
import { call, type ApiFault } from '../shell/api.ts'
import { useDraft } from './draft.tsx'
import { MailLog } from './mail-log.tsx'
import { MailTextsPanel } from './mail-texts.tsx'
import { SaveBar, type Describe } from './save-bar.tsx'
import { mailChanged, useSiteMail } from './settings-queries.ts'
import classes from './settings.module.css'

const DESCRIBE: Describe<MailSettings> = {
  kinds: { label: 'Mails to customers', text: (kinds) => kinds.join('\n') || 'none' },
  sendsTests: { label: 'Mails of test mode', text: (sends) => (sends ? 'on' : 'off') },
  senderName: { label: "Sender's name", text: (name) => name },
  replyTo: { label: 'Address for replies', text: (address) => address },
}

const DELIVERY: Readonly<Record<SiteMailView['delivery'], string | null>> = {
  sent: null,
  caught: 'This sandbox has no mail server. Mails are caught: you find them below.',
  off: 'The operator has set no mail server. No mail is sent.',
}

/** Receipts and notices to the customers of a site. */
export function MailTab({ site }: { readonly site: SiteView }) {
  const mail = useSiteMail(site.id)
  const maySeeMails = useMay('customers.see')
  if (mail.error !== null && mail.data === undefined) {
    return <Fault error={mail.error} onRetry={() => void mail.refetch()} />
  }
  if (mail.data === undefined) return <Skeleton height={200} />
  return (
    <Stack maw={1300}>
      {DELIVERY[mail.data.delivery] !== null && (
        <Alert color="blue">{DELIVERY[mail.data.delivery]}</Alert>
      )}
      <MailForm site={site} view={mail.data} />
      <MailTextsPanel siteId={site.id} view={mail.data} />
      {maySeeMails && <MailLog siteId={site.id} />}
    </Stack>
  )
}

function MailForm({ site, view }: { readonly site: SiteView; readonly view: SiteMailView }) {
  const mayChange = useMay('sites.change')
  const [fault, setFault] = useState<ApiFault | null>(null)
  const draft = useDraft<MailSettings>(view.settings)
  const { kinds, replyTo, senderName, sendsTests } = draft.values
  const errorAt = (field: string): string | undefined =>
    fault?.field === field ? fault.message : undefined
  const set = <Name extends keyof MailSettings>(name: Name, value: MailSettings[Name]): void => {
    setFault(null)
    draft.set(name, value)
  }
  return (
    <Stack className={classes.panel}>
      <Fieldset legend="Mails to customers" disabled={!mayChange}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            Each mail goes to the e-mail address of the customer. Payments from before a choice have
            no mail.
          </Text>
          {view.kinds.map(({ kind, title }) => (
            <Checkbox
              key={kind}
              label={title}
              checked={kinds.includes(kind)}
              onChange={(event) =>
                set(
                  'kinds',
                  view.kinds
                    .map((each) => each.kind)
                    .filter((each) =>
                      each === kind ? event.currentTarget.checked : kinds.includes(each),
                    ),
                )
              }
            />
          ))}
          <Switch
            label="Send mails about payments of test mode too"
            description="Their subject is marked as a test."
            checked={sendsTests}
            onChange={(event) => set('sendsTests', event.currentTarget.checked)}
          />
          <TextInput
            label="Sender's name"
            description="Empty: the name of the site. The address is the operator's."
            value={senderName}
            error={errorAt('senderName')}
            onChange={(event) => set('senderName', event.currentTarget.value)}
          />
          <TextInput
            label="Address for replies"
            value={replyTo}
            error={errorAt('replyTo')}
            onChange={(event) => set('replyTo', event.currentTarget.value.trim())}
          />
        </Stack>
      </Fieldset>
      <SaveBar
        draft={draft}
        describe={DESCRIBE}
        save={async ({ seen, values }) =>
          mailChanged(
            site.id,
            await call(routes.mail.change, {
              path: { siteId: site.id },
              body: { settings: values, seen },
            }),
          )
        }
        onFault={setFault}
        changeDelaySeconds={site.changeDelaySeconds}
      />
    </Stack>
  )
}
