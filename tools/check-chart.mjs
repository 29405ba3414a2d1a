// Checks helm/forecourt without Helm: parses everything, renders the templates with an interpreter for the few constructs that
// this chart uses, and looks at the objects that come out. It is no substitute for `helm lint`, and says so.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse, parseAllDocuments, stringify } from 'yaml';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CHART = join(ROOT, 'helm/forecourt');
const problems = [];
const read = (path) => readFileSync(join(CHART, path), 'utf8');

const chart = parse(read('Chart.yaml'));
const defaults = parse(read('values.yaml'));
const values = merged(defaults, parse(read('ci/values.yaml')));
const release = { Name: 'release', Namespace: 'namespace', Service: 'Helm' };
const scope = {
  Values: values,
  Release: release,
  Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
};

checkValues();
const files = readdirSync(join(CHART, 'templates')).filter((name) => /\.(?:ya?ml|tpl)$/.test(name));
const blocks = new Map(files.flatMap((name) => definitions(name)));
const objects = files.filter((name) => !name.endsWith('.tpl')).flatMap(renderFile);
for (const object of objects) checkObject(object);
checkKinds();
checkUse();

if (problems.length > 0) {
  process.stderr.write(
    `helm/forecourt has ${problems.length} problem(s):\n${problems.map((p) => `  - ${p}`).join('\n')}\n`,
  );
  process.exit(1);
}
process.stdout.write(`helm/forecourt: ${objects.length} objects rendered and checked (own interpreter, not Helm)\n`);

// ------------------------------------------------------------------------------------------------ values

function checkValues() {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  if (chart.appVersion !== version)
    problems.push(`Chart.yaml: appVersion ${chart.appVersion} is not the version ${version} of package.json`);
  const validate = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, strictRequired: false }).compile(
    JSON.parse(read('values.schema.json')),
  );
  if (!validate(values)) problems.push(...validate.errors.map((e) => `values${e.instancePath}: ${e.message}`));
  if (validate(defaults))
    problems.push('values.yaml installs as it is: image, secret and public URL must be asked for');
  if (validate(merged(values, { settings: { FORECOURT_SECRET: 'x'.repeat(40) } })))
    problems.push('values.schema.json lets a secret into settings');
}

function merged(base, over) {
  if (typeof base !== 'object' || base === null || typeof over !== 'object' || over === null || Array.isArray(over))
    return over ?? base;
  return Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(over)])].map((key) => [
      key,
      key in over ? merged(base[key], over[key]) : base[key],
    ]),
  );
}

// ------------------------------------------------------------------------------------------------ rendering

function definitions(file) {
  const text = read(`templates/${file}`);
  const opened = (text.match(/\{\{-?\s*(?:if|with|range|define)\b/g) ?? []).length;
  const closed = (text.match(/\{\{-?\s*end\b/g) ?? []).length;
  if (opened !== closed) problems.push(`templates/${file}: ${opened} blocks are opened and ${closed} closed`);
  const lines = text.split('\n');
  return lines.flatMap((line, i) => {
    const name = /^\{\{-? define "([^"]+)" -?\}\}$/.exec(line)?.[1];
    return name === undefined ? [] : [[name, blockFrom(lines, i).body.join('\n')]];
  });
}

function renderFile(file) {
  try {
    return parseAllDocuments(render(read(`templates/${file}`), scope)).flatMap((document) => {
      problems.push(...document.errors.map((e) => `templates/${file}: ${e.message}`));
      const object = document.toJS();
      return object === null ? [] : [{ ...object, file }];
    });
  } catch (error) {
    problems.push(`templates/${file}: ${error.message}`);
    return [];
  }
}

/** Lines that are one action steer; actions inside a line are replaced by their value. */
function render(text, context) {
  const out = [];
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const action = /^\s*\{\{-?\s*(.*?)\s*-?\}\}\s*$/.exec(lines[i])?.[1];
    const opening = action === undefined ? null : /^(if|range)\s+(.+)$/.exec(action);
    if (opening === null) {
      out.push(
        action === undefined || !/\| nindent \d+$/.test(action)
          ? lines[i].replaceAll(/\{\{-?\s*(.*?)\s*-?\}\}/g, (_, inner) => String(evaluate(inner, context)))
          : evaluate(action, context).replace(/^\n/, ''),
      );
      continue;
    }
    const { body, otherwise, end } = blockFrom(lines, i);
    if (opening[1] === 'if')
      out.push(render((truthy(evaluate(opening[2], context)) ? body : otherwise).join('\n'), context));
    else out.push(...rangeOver(opening[2], body, context));
    i = end;
  }
  return out.filter((line) => line !== '').join('\n');
}

function rangeOver(head, body, context) {
  const match = /^\$(\w+), \$(\w+) := (\S+)$/.exec(head);
  if (match === null) throw new Error(`range in a form this check does not know: ${head}`);
  const [, key, value, path] = match;
  return Object.entries(evaluate(path, context)).map(([k, v]) =>
    render(body.join('\n'), { ...context, [`$${key}`]: k, [`$${value}`]: v }),
  );
}

function blockFrom(lines, start) {
  const [body, otherwise] = [[], []];
  let [depth, into] = [1, body];
  for (let i = start + 1; i < lines.length; i++) {
    const word = /^\s*\{\{-?\s*(if|range|with|define|else|end)\b/.exec(lines[i])?.[1];
    if (word === 'end' && --depth === 0) return { body, otherwise, end: i };
    if (word === 'else' && depth === 1) into = otherwise;
    else {
      if (word !== undefined && word !== 'end' && word !== 'else') depth++;
      into.push(lines[i]);
    }
  }
  throw new Error('a block is not closed');
}

/** `path`, `include "x" .`, `toYaml path`, each with `| quote` or `| nindent n`. */
function evaluate(expression, context) {
  const [head, ...pipes] = expression.split(' | ');
  let value = valueOf(head, context);
  for (const pipe of pipes) {
    if (pipe === 'quote') value = JSON.stringify(String(value));
    else if (/^nindent \d+$/.test(pipe))
      value = `\n${String(value)
        .split('\n')
        .map((line) => ' '.repeat(Number(pipe.slice(8))) + line)
        .join('\n')}`;
    else throw new Error(`a pipe this check does not know: ${pipe}`);
  }
  return value;
}

function valueOf(head, context) {
  const included = /^include "([^"]+)" \.$/.exec(head)?.[1];
  if (included !== undefined) {
    if (!blocks.has(included)) throw new Error(`includes ${included}, which is not defined`);
    return render(blocks.get(included), context);
  }
  if (head.startsWith('toYaml ')) return stringify(valueOf(head.slice(7), context)).trimEnd();
  if (head.startsWith('$')) return context[head];
  if (!/^(?:\.\w+)+$/.test(head)) throw new Error(`an expression this check does not know: ${head}`);
  const found = head
    .split('.')
    .slice(1)
    .reduce((at, name) => (at === undefined || at === null ? undefined : at[name]), context);
  if (found === undefined) throw new Error(`${head} does not exist`);
  return found;
}

function truthy(value) {
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

// ------------------------------------------------------------------------------------------------ objects

function checkObject(object) {
  const at = `templates/${object.file} (${object.kind ?? 'no kind'})`;
  for (const member of ['apiVersion', 'kind'])
    if (typeof object[member] !== 'string') problems.push(`${at}: no ${member}`);
  if (object.metadata?.name === undefined || object.metadata.labels?.['app.kubernetes.io/instance'] === undefined)
    problems.push(`${at}: no name or labels`);
  const pod = object.spec?.template?.spec;
  if (pod !== undefined) checkPod(pod, at);
  const selected = object.spec?.selector?.matchLabels;
  const labels = object.spec?.template?.metadata?.labels;
  if (labels !== undefined && selected !== undefined && Object.entries(selected).some(([k, v]) => labels[k] !== v))
    problems.push(`${at}: selects other pods than its own`);
}

function checkPod(pod, at) {
  if (pod.securityContext?.runAsNonRoot !== true) problems.push(`${at}: may run as root`);
  if (pod.automountServiceAccountToken !== false) problems.push(`${at}: mounts a service account token`);
  if (pod.enableServiceLinks !== false)
    problems.push(`${at}: takes variables from services, which the settings refuse`);
  for (const container of pod.containers) {
    const security = container.securityContext ?? {};
    if (
      security.readOnlyRootFilesystem !== true ||
      security.allowPrivilegeEscalation !== false ||
      security.capabilities?.drop?.[0] !== 'ALL'
    )
      problems.push(`${at}: ${container.name} has more rights than it needs`);
    if (container.resources?.requests?.memory === undefined || container.resources?.limits?.memory === undefined)
      problems.push(`${at}: ${container.name} has no bounds of memory`);
    if (!/^[^:]+(?:\/[^:]+)*:(?!latest$).+$/.test(container.image))
      problems.push(`${at}: ${container.name} has no fixed image`);
    checkEnvironment(container, at);
    const volumes = new Set(pod.volumes.map((v) => v.name));
    for (const mount of container.volumeMounts)
      if (!volumes.has(mount.name)) problems.push(`${at}: mounts ${mount.name}, which is no volume`);
  }
}

/** Every variable is a setting of the service, and secrets come by reference. */
function checkEnvironment(container, at) {
  const reference = join(ROOT, 'docs/reference/config.md');
  const known = existsSync(reference)
    ? new Set([...readFileSync(reference, 'utf8').matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name))
    : undefined;
  const names = container.env.map((variable) => variable.name);
  for (const variable of container.env) {
    if (known !== undefined && !known.has(variable.name)) problems.push(`${at}: ${variable.name} is not a setting`);
    const secret = /SECRET|DATABASE_URL|REDIS_URL/.test(variable.name);
    if (secret !== (variable.valueFrom?.secretKeyRef !== undefined))
      problems.push(
        `${at}: ${variable.name} ${secret ? 'is a secret and not a reference' : 'is a reference and no secret'}`,
      );
  }
  if (new Set(names).size !== names.length) problems.push(`${at}: a variable is set twice`);
}

function checkKinds() {
  const kinds = objects
    .map((o) => o.kind)
    .sort()
    .join();
  const expected =
    'Deployment,Deployment,Job,NetworkPolicy,NetworkPolicy,PersistentVolumeClaim,PodDisruptionBudget,Service,ServiceAccount';
  if (kinds !== expected) problems.push(`renders ${kinds} instead of ${expected}`);
  const api = objects.find((o) => o.metadata?.name === 'release-api' && o.kind === 'Deployment')?.spec.template.spec
    .containers[0];
  if (api?.livenessProbe?.httpGet?.path !== '/health/live' || api?.readinessProbe?.httpGet?.path !== '/health/ready')
    problems.push('the API has no probes');
  const claim = objects.find((o) => o.kind === 'PersistentVolumeClaim');
  if (claim?.spec.accessModes?.[0] !== 'ReadWriteMany') problems.push('the volume of feed files is not shared');
}

/** No value without effect, no block without a user. */
function checkUse() {
  const text = [...files.map((name) => read(`templates/${name}`)), read('templates/NOTES.txt')].join('\n');
  for (const path of leaves(defaults, '.Values')) {
    const used = path
      .split('.')
      .some((_, i, parts) => i > 1 && new RegExp(`${parts.slice(0, i + 1).join('\\.')}(?![\\w.])`).test(text));
    if (!used) problems.push(`${path} of values.yaml is used nowhere`);
  }
  for (const name of blocks.keys())
    if (!text.includes(`include "${name}"`)) problems.push(`${name} is defined and included nowhere`);
}

function leaves(value, path) {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    return [path];
  return Object.entries(value).flatMap(([key, member]) => leaves(member, `${path}.${key}`));
}
