{{- define "forecourt.labels" -}}
app.kubernetes.io/name: forecourt
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "forecourt.selector" -}}
app.kubernetes.io/name: forecourt
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "forecourt.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "forecourt.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop:
    - ALL
{{- end }}

{{- define "forecourt.environment" -}}
- name: FORECOURT_PROFILE
  value: production
- name: HOST
  value: 0.0.0.0
- name: PORT
  value: "8080"
- name: DATA_DIR
  value: /var/lib/forecourt
- name: FEED_FILES_DIR
  value: /var/lib/forecourt/files
- name: FEED_WATCH_ROOT
  value: /var/lib/forecourt/inbox
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.existingSecret }}
      key: DATABASE_URL
- name: FORECOURT_SECRET
  valueFrom:
    secretKeyRef:
      name: {{ .Values.existingSecret }}
      key: FORECOURT_SECRET
- name: FORECOURT_SECRET_PREVIOUS
  valueFrom:
    secretKeyRef:
      name: {{ .Values.existingSecret }}
      key: FORECOURT_SECRET_PREVIOUS
      optional: true
- name: REDIS_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.existingSecret }}
      key: REDIS_URL
      optional: true
{{- if .Values.restoreJournal.existingClaim }}
- name: RESTORE_JOURNAL_DIR
  value: /var/lib/forecourt-journal
- name: RESTORE_JOURNAL_KEY_FILE
  value: /etc/forecourt/restore-journal/restore-journal-key
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "forecourt.volumeMounts" -}}
- name: feed-files
  mountPath: /var/lib/forecourt
- name: tmp
  mountPath: /tmp
{{- if .Values.restoreJournal.existingClaim }}
- name: restore-journal
  mountPath: /var/lib/forecourt-journal
- name: restore-journal-key
  mountPath: /etc/forecourt/restore-journal
  readOnly: true
{{- end }}
{{- end }}

{{- define "forecourt.volumes" -}}
- name: feed-files
  persistentVolumeClaim:
    {{- if .Values.feedFiles.existingClaim }}
    claimName: {{ .Values.feedFiles.existingClaim }}
    {{- else }}
    claimName: {{ .Release.Name }}-feed-files
    {{- end }}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- if .Values.restoreJournal.existingClaim }}
- name: restore-journal
  persistentVolumeClaim:
    claimName: {{ .Values.restoreJournal.existingClaim }}
- name: restore-journal-key
  secret:
    secretName: {{ required "restoreJournal.keySecret is required beside restoreJournal.existingClaim" .Values.restoreJournal.keySecret }}
    defaultMode: 0440
{{- end }}
{{- end }}

{{- define "forecourt.placement" -}}
nodeSelector:
  {{- toYaml .Values.nodeSelector | nindent 2 }}
tolerations:
  {{- toYaml .Values.tolerations | nindent 2 }}
affinity:
  {{- toYaml .Values.affinity | nindent 2 }}
{{- end }}
