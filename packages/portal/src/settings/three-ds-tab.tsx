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

const REQUESTS: readonly { readonly value: string; readonly label: string }[] = [
  { value: 'none', label: 'No preference sent' },
  { value: '01', label: '01: no preference' },
  { value: '02', label: '02: no challenge preferred' },
  { value: '03', label: '03: challenge preferred' },
  { value: '04', label: '04: challenge required by mandate' },
]

const DESCRIBE: Describe<ThreeDsPolicy> = {
  required: { label: 'Browser data', text: (on) => (on ? 'required' : 'not required') },
  whenUnavailable: {
    label: 'If authentication is not possible',
    text: (what) => (what === 'decline' ? 'decline' : 'authorize without authentication'),
  },
  paResRequired: {
    label: 'REQUEST_PARES',
    text: (on) => (on ? 'required in the final call' : 'not required'),
  },
  challengePreference: {
    label: 'Challenge preference',
    text: (request) => REQUESTS.find(({ value }) => value === (request ?? 'none'))?.label ?? '',
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
        <Alert color="orange" title="No account of this mode is registered for 3-D Secure">
          3-D Secure needs a registration with the directory servers. The operator enters it in the
          merchant account.
        </Alert>
      )}
      <Fieldset
        legend="Payments that ask for 3-D Secure (REQUEST_ENROLLMENT=1)"
        disabled={!mayChange}
      >
        <Stack gap="md">
          <Switch
            label="Decline if browser data is missing"
            description="Off: a payment without the browser's language, user agent or Accept header continues without authentication. On: it is declined with SERVICE 670."
            checked={values.required}
            onChange={(event) => set('required', event.currentTarget.checked)}
          />
          <Radio.Group
            label="If authentication is not possible"
            description="Applies if the card or issuer does not support it, or the network does not answer. After a challenge, only a successful authentication is authorized."
            value={values.whenUnavailable}
            onChange={(value) => set('whenUnavailable', value as ThreeDsPolicy['whenUnavailable'])}
          >
            <Stack gap={6} mt={6}>
              <Radio
                value="authorize"
                label="Authorize without authentication"
                description="More sales, but the liability for fraud stays with you."
              />
              <Radio
                value="decline"
                label="Decline"
                description="Only authenticated or attempted payments are authorized."
              />
            </Stack>
          </Radio.Group>
          <Switch
            label="The final call must carry REQUEST_PARES"
            description="Its value can be empty. Helps integrations of the older protocol to detect a missing parameter."
            checked={values.paResRequired}
            onChange={(event) => set('paResRequired', event.currentTarget.checked)}
          />
          <Select
            label="Challenge preference"
            description="Sent to the issuer as threeDSRequestorChallengeInd. The issuer decides."
            inputContainer={(input) => <Box maw={360}>{input}</Box>}
            allowDeselect={false}
            data={REQUESTS}
            value={values.challengePreference ?? 'none'}
            onChange={(value) =>
              set('challengePreference', value === null || value === 'none' ? null : value)
            }
          />
          <TagsInput
            label="Allowed hosts in P3DS_RETURN_URL"
            description="Hosts to which customers return, such as shop.example. Leave empty to allow any host. Press Enter after each."
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
        changeDelaySeconds={site.changeDelaySeconds}
      />
    </Stack>
  )
}
