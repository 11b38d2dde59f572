import { Alert, Box, Fieldset, Radio, Select, Stack, Switch, TagsInput } from '@mantine/core'
import type { SiteView, ThreeDsPolicy } from '@tollgate/portal-contract/answers/settings'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { useMay } from '../session/session.ts'
import { call, type ApiFault } from '../shell/api.ts'
import { useDraft } from './draft.tsx'
import { SaveBar, type Describe } from './save-bar.tsx'
import { siteChanged } from './settings-queries.ts'
import classes from './settings.module.css'

const WISHES: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'none', label: 'Nothing is asked of the issuer' },
  { value: '01', label: '01: no preference' },
  { value: '02', label: '02: rather without a challenge' },
  { value: '03', label: '03: rather with a challenge' },
  { value: '04', label: '04: a challenge by mandate' },
]

const DESCRIBE: Describe<ThreeDsPolicy> = {
  required: { label: 'Browser data', text: (on) => (on ? 'required' : 'not required') },
  whenUnavailable: {
    label: 'When nobody can authenticate',
    text: (what) => (what === 'decline' ? 'decline' : 'authorize without it'),
  },
  paResRequired: {
    label: 'REQUEST_PARES',
    text: (on) => (on ? 'required in the final call' : 'not required'),
  },
  challengePreference: {
    label: 'Wish for a challenge',
    text: (wish) => WISHES.find(({ value }) => value === (wish ?? 'none'))?.label ?? '',
  },
  returnHosts: { label: 'Hosts of P3DS_RETURN_URL', text: (hosts) => hosts.join(', ') || 'any' },
}

export function ThreeDsTab({ site }: { readonly site: SiteView }) {
  const mayChange = useMay('sites.change')
  const [fault, setFault] = useState<ApiFault | null>(null)
  const draft = useDraft<ThreeDsPolicy>(site.threeDs)
  const { values, set } = draft
  const takesPart = site.accounts.some(
    ({ mode, threeDsRequestorId }) => mode === site.mode && threeDsRequestorId !== null,
  )
  return (
    <Stack className={classes.panel}>
      {!takesPart && (
        <Alert color="orange" title="No account of this mode takes part in 3-D Secure">
          Without a registration with the Directory Servers nobody can be authenticated. Whoever
          operates the gateway enters it with the merchant account.
        </Alert>
      )}
      <Fieldset
        legend="Payments that ask for 3-D Secure (REQUEST_ENROLLMENT=1)"
        disabled={!mayChange}
      >
        <Stack gap="md">
          <Switch
            label="Decline where the browser's data are missing"
            description="Off: a payment without the browser's language, user agent or Accept header goes on without authentication, so whoever hides them is not authenticated. On: SERVICE 670."
            checked={values.required}
            onChange={(event) => set('required', event.currentTarget.checked)}
          />
          <Radio.Group
            label="When nobody can authenticate"
            description="The card takes no part, the network does not answer, or the issuer can't. After a challenge only a good result is ever authorized."
            value={values.whenUnavailable}
            onChange={(value) => set('whenUnavailable', value as ThreeDsPolicy['whenUnavailable'])}
          >
            <Stack gap={6} mt={6}>
              <Radio
                value="authorize"
                label="Authorize without it"
                description="More sales; the liability for fraud stays with you."
              />
              <Radio
                value="decline"
                label="Decline"
                description="Only authenticated payments, or such as the issuer tried to."
              />
            </Stack>
          </Radio.Group>
          <Switch
            label="The final call must carry REQUEST_PARES"
            description="It may be empty. For shops written for the older protocol, so that a forgotten parameter is noticed."
            checked={values.paResRequired}
            onChange={(event) => set('paResRequired', event.currentTarget.checked)}
          />
          <Select
            label="Wish for a challenge"
            description="What the issuer is told you would like (threeDSRequestorChallengeInd); it decides by itself."
            inputContainer={(input) => <Box maw={360}>{input}</Box>}
            allowDeselect={false}
            data={WISHES}
            value={values.challengePreference ?? 'none'}
            onChange={(value) =>
              set('challengePreference', value === null || value === 'none' ? null : value)
            }
          />
          <TagsInput
            label="Hosts that P3DS_RETURN_URL may name"
            description="Where buyers may be sent back to, such as shop.example; empty allows any host. Press Enter after each."
            placeholder={values.returnHosts.length === 0 ? 'any host' : ''}
            value={[...values.returnHosts]}
            error={fault?.field === 'returnHosts' ? fault.message : undefined}
            onChange={(hosts) => {
              setFault(null)
              set(
                'returnHosts',
                hosts.map((host) => host.trim().toLowerCase()),
              )
            }}
          />
        </Stack>
      </Fieldset>
      <SaveBar
        draft={draft}
        describe={DESCRIBE}
        save={async ({ values: policy, seen }) =>
          siteChanged(
            await call(routes.sites.changeThreeDs, {
              path: { siteId: site.id },
              body: { policy, seen },
            }),
          )
        }
        onFault={setFault}
        knownWithinSeconds={site.knownWithinSeconds}
      />
    </Stack>
  )
}
