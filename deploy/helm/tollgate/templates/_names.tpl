{{- define "tollgate.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "tollgate.selector" -}}
app.kubernetes.io/name: tollgate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tollgate.labels" -}}
{{ include "tollgate.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "tollgate.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* The gateway and the migration have the same settings. They stand here and in no ConfigMap,
which Helm would make after the migration. */}}
{{- define "tollgate.environment" -}}
- name: MODE
  value: production
- name: PUBLIC_URL
  value: {{ required "publicUrl is the address that merchants see, such as https://pay.example.com" .Values.publicUrl | quote }}
- name: TLS_CERT
  value: /run/tls/tls.crt
- name: TLS_KEY
  value: /run/tls/tls.key
- name: DATABASE_URL
  value: {{ required "database.url is the address of PostgreSQL, without a password" .Values.database.url | quote }}
- name: DATABASE_PASSWORD_FILE
  value: /run/secrets/tollgate/database-password
{{- if .Values.database.ca.secretName }}
- name: DATABASE_CA
  value: /run/secrets/tollgate/database-ca.pem
{{- end }}
{{- if not (or .Values.settings.VAULT_KMS_KEY .Values.settings.VAULT_TRANSIT_KEY) }}
- name: VAULT_KEY_FILE
  value: /run/secrets/tollgate/vault.key
{{- end }}
- name: WORKERS
  value: {{ .Values.workers | quote }}
- name: DRAIN_S
  value: {{ .Values.drainSeconds | quote }}
{{- with .Values.console }}
{{- if .enabled }}
- name: CONSOLE_HOST
  value: {{ .host | quote }}
- name: CONSOLE_PORT
  value: {{ .port | quote }}
- name: CONSOLE_URL
  value: {{ required "console.url is the address that operators see, such as https://console.example.com" .url | quote }}
{{- end }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end -}}

{{- define "tollgate.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "tollgate.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "tollgate.mounts" -}}
- name: secrets
  mountPath: /run/secrets/tollgate
  readOnly: true
- name: tls
  mountPath: /run/tls
  readOnly: true
- name: data
  mountPath: /var/lib/tollgate
- name: temporary
  mountPath: /tmp
{{- end -}}

{{- define "tollgate.volumes" -}}
- name: secrets
  projected:
    defaultMode: 0440
    sources:
      - secret:
          name: {{ required "database.password.secretName names the Secret with the password" .Values.database.password.secretName }}
          items:
            - key: {{ .Values.database.password.key }}
              path: database-password
      {{- if .Values.database.ca.secretName }}
      - secret:
          name: {{ .Values.database.ca.secretName }}
          items:
            - key: {{ .Values.database.ca.key }}
              path: database-ca.pem
      {{- end }}
      {{- if not (or .Values.settings.VAULT_KMS_KEY .Values.settings.VAULT_TRANSIT_KEY) }}
      - secret:
          name: {{ required "vaultKey.secretName names the Secret with the key-encrypting key; or set settings.VAULT_KMS_KEY or settings.VAULT_TRANSIT_KEY" .Values.vaultKey.secretName }}
          items:
            - key: {{ .Values.vaultKey.key }}
              path: vault.key
      {{- end }}
- name: tls
  secret:
    secretName: {{ required "tls.secretName names a Secret of type kubernetes.io/tls" .Values.tls.secretName }}
    defaultMode: 0440
- name: data
  emptyDir: {}
- name: temporary
  emptyDir: {}
{{- end -}}
