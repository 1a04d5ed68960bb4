// The sample reading app. Each call goes through `call`, which shows it in the list.
"use strict";

const MAX_SHOWN = 4000;
const find = id => document.getElementById(id);
const device = Array.from(crypto.getRandomValues(new Uint8Array(8)), byte => byte.toString(16).padStart(2, "0")).join("");
let settings;
let token = null;
let calls = 0;

// Creates an element. Texts become text nodes, so that no response can add markup.
function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
}

function masked(text) {
    return text.replace(/(^|[?&])([^=&?]*)=[^&]*/g, (field, before, name) =>
        settings.proofs.includes(new URLSearchParams(`${name}=`).keys().next().value) ? `${before}${name}=•••` : field);
}

// Sends a request and shows it with its response. A request without a response returns null.
async function call(method, path, {form = null, headers = {}, download = false} = {}) {
    const body = form ? new URLSearchParams(form).toString() : null;
    const sent = {...headers, ...(body ? {"Content-Type": "application/x-www-form-urlencoded"} : {})};
    const start = performance.now();
    let response = null, bytes = null;
    try {
        response = await fetch(path, {method, body, headers: sent, cache: "no-store", credentials: "omit"});
        bytes = await response.arrayBuffer();
    } catch (error) {
        response = null;
    }
    const elapsed = Math.round(performance.now() - start);
    const lines = [`${method} ${masked(path)}`, ...Object.entries(sent).map(([name, value]) => `${name}: ${value}`)];
    const result = response ? `${response.status} ${response.statusText}` : "no response";
    const text = !bytes ? "" : download && response.ok
        ? `${bytes.byteLength.toLocaleString("en")} bytes` : new TextDecoder().decode(bytes).slice(0, MAX_SHOWN);
    const received = response ? [result, ...Array.from(response.headers, ([name, value]) => `${name}: ${value}`)] : [result];
    calls += 1;
    find("calls").prepend(element("li", {},
        element("details", {},
            element("summary", {}, `${method} ${masked(path).split("?")[0]}: ${result}, ${elapsed} ms`),
            element("h3", {}, "Request"), element("pre", {}, lines.join("\n") + (body ? `\n\n${masked(body)}` : "")),
            element("h3", {}, "Response"), element("pre", {}, `${received.join("\n")}\n\n${text}`))));
    return response ? {status: response.status, ok: response.ok, bytes, text} : null;
}

const xml = result => new DOMParser().parseFromString(new TextDecoder().decode(result.bytes), "application/xml");
const path = name => `/${encodeURIComponent(settings.publication)}/${name}`;
const query = fields => `?${new URLSearchParams(fields)}`;

function say(text, isProblem = false) {
    find("session").textContent = text;
    find("session").classList.toggle("problem", isProblem);
}

// Returns why a call failed, in the words of the response.
function problem(result) {
    if (!result) return "The server did not respond.";
    const error = result.status === 200 && xml(result).querySelector("error");
    if (error) return error.getAttribute("message") || `Refused: ${error.getAttribute("status")}`;
    return result.ok ? null : `Refused with status ${result.status}.`;
}

function setToken(value) {
    token = value;
    for (const id of ["verify", "renew", "sign-out"]) find(id).disabled = !token;
}

async function signIn(event) {
    event.preventDefault();
    const form = Object.fromEntries(new FormData(find("sign-in")));
    if (settings.device) form[settings.device] = device;
    await useToken(await call("POST", path("sign_in"), {form}));
}

async function useToken(result) {
    const failed = problem(result);
    if (failed) return say(failed, true);
    setToken(xml(result).querySelector("token").textContent);
    await verify();
}

async function verify() {
    const result = await call("GET", path("verify_subscription") + query({token}));
    const failed = problem(result);
    if (failed) return say(failed, true);
    const subscription = xml(result).querySelector("subscription");
    const issues = subscription.querySelector("issues");
    const included = issues && new Set(Array.from(issues.querySelectorAll("issue"), issue => issue.textContent));
    const message = subscription.getAttribute("message");
    say(`Subscription: ${subscription.getAttribute("state")}.${message ? ` ${message}` : ""}`);
    for (const card of find("shelf").children) {
        show(card, !included || included.has(card.dataset.edition) ? "Included" : "Not included");
    }
}

async function signOut() {
    await call("GET", path("sign_out") + query({token}));
    setToken(null);
    say("No reader is signed in.");
    for (const card of find("shelf").children) show(card, "");
}

function show(card, text, isProblem = false) {
    const status = card.querySelector("[role=status]");
    status.replaceChildren(text);
    status.classList.toggle("problem", isProblem);
}

// Downloads an edition as an app does: with its edition credentials, if a reader is signed in.
async function open(card) {
    const headers = {};
    if (token) {
        const result = await call("GET", path("edition_credentials") + query({token, product_id: card.dataset.edition}));
        const failed = problem(result);
        if (failed) return show(card, failed, true);
        const [user, password] = ["userid", "password"].map(name => xml(result).querySelector(name).textContent);
        headers.Authorization = `Basic ${btoa(`${user}:${password}`)}`;
    }
    const result = await call("GET", card.dataset.file, {headers, download: true});
    if (!result || !result.ok) return show(card, result ? `The gate refused: ${result.status}.` : "No response.", true);
    const file = URL.createObjectURL(new Blob([result.bytes], {type: "application/zip"}));
    show(card, `${result.bytes.byteLength.toLocaleString("en")} bytes. `);
    card.querySelector("[role=status]").append(element("a", {href: file, download: `${card.dataset.edition}.zip`}, "Save"));
}

async function loadShelf() {
    const result = await call("GET", path("feed"));
    const failed = problem(result);
    if (failed) return say(failed, true);
    for (const entry of xml(result).querySelectorAll("entry")) {
        const [edition, title] = ["id", "title"].map(name => entry.querySelector(name).textContent);
        const link = name => entry.querySelector(`link[rel="${name}"]`)?.getAttribute("href");
        const card = element("li", {"data-edition": edition, "data-file": link("alternate") ?? ""},
            element("img", {src: link("http://opds-spec.org/image") ?? "", alt: "", loading: "lazy"}),
            element("h3", {}, title), element("p", {role: "status"}));
        const button = element("button", {type: "button", "aria-label": `Download ${title}`}, "Download");
        button.addEventListener("click", () => open(card));
        card.append(button);
        find("shelf").append(card);
    }
}

function showFields() {
    for (const [name, type] of [[settings.identifier, "text"], ...settings.proofs.map(name => [name, "password"])]) {
        find("fields").append(element("label", {}, name, element("input", {name, type, required: "", autocomplete: "off"})));
    }
    for (const reader of settings.readers) {
        const button = element("button", {type: "button"}, reader.about || reader.identifier);
        button.addEventListener("click", () => {
            const values = [reader.identifier, ...reader.proofs];
            find("fields").querySelectorAll("input").forEach((input, index) => { input.value = values[index]; });
            find("sign-in").requestSubmit();
        });
        find("samples").append(button);
    }
}

async function start() {
    settings = await (await fetch("/sample-app/settings.json")).json();
    showFields();
    find("sign-in").addEventListener("submit", signIn);
    find("verify").addEventListener("click", verify);
    find("renew").addEventListener("click", async () => useToken(await call("POST", path("renew_token"), {form: {token}})));
    find("sign-out").addEventListener("click", signOut);
    await loadShelf();
}

start();
