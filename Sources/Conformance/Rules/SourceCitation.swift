/// The text of a section that a rule cites as its source, with the harm if the rule is broken. The reader of a
/// report may not have the cited article. RFCs have no text here, because they are public.
package struct SourceCitation: Sendable {
    /// The name of the section, as a rule cites it.
    package let name: String
    /// The requirement of the section and the harm if it is not met, in one to three sentences.
    package let text: String

    private init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }

    /// Returns the names of the articles' sections in a rule's source.
    ///
    /// The parts of a source are separated by semicolons. A part is `ARTICLE: SECTION` with the title of an article
    /// of the documentation and one of its headings, or `Pitfall NUMBER`, or a public document such as an RFC.
    /// Public documents are left out.
    package static func names(in source: String) -> [String] {
        source.split(separator: ";").map { String($0.trimming { $0 == " " }) }
            .filter { $0.hasPrefix("Pitfall ") || $0.contains(": ") }
    }

    /// Returns the texts of the sections that a rule's source cites, or an empty text if it cites none. If the
    /// source cites pitfalls, only their texts are returned, because these describe the consequences.
    package static func text(of source: String) -> String {
        var names = names(in: source)
        // The test users represent a publisher's own readers.
        if names.count > 1 { names.removeAll { $0.hasPrefix("Pugpig test endpoint and test console: ") } }
        let pitfalls = names.filter { $0.hasPrefix("Pitfall ") || $0.hasPrefix("Input pitfalls: ") }
        return (pitfalls.isEmpty ? names : pitfalls).compactMap { name in all.first { $0.name == name }?.text }
            .joined(separator: " ")
    }

    /// The sections: those of the protocol articles, the pitfalls, and the design rules.
    package static let all = protocols + pitfalls + designRules

    private static let protocols: [SourceCitation] = [
        SourceCitation(
            "Pugpig protocol: Paths with and without a final slash",
            "Apps write a slash at the end of each call, and the test console does not. Neither follows a redirect, "
                + "so a server that redirects one spelling to the other fails for one of the two. Where one spelling "
                + "is missing, some readers cannot sign in or renew."),
        SourceCitation(
            "Pugpig protocol: GET and POST",
            "Apps and the test console may send a form in place of a query, for every call. A server that reads only "
                + "one of the two prevents some readers from signing in or renewing."),
        SourceCitation(
            "Pugpig protocol: Response format",
            "The response to each call is an XML document of the type text/xml. A wrong document with the status 200 "
                + "replaces the stored state of a reader who has paid."),
        SourceCitation(
            "Pugpig protocol: Caching headers",
            "No cache between app and server may store a response. Otherwise one reader can be signed in as another, "
                + "or keep an outdated state."),
        SourceCitation(
            "Pugpig protocol: XML declaration",
            "Documents are XML 1.0 in UTF-8. A document that an app cannot decode replaces the stored state of a "
                + "reader who has paid."),
        SourceCitation(
            "Pugpig protocol: Status codes",
            "A refusal is HTTP 200 with an error document. At any status other than 2xx, the call has failed for the "
                + "app, and the reader does not learn that the sign-in was refused."),
        SourceCitation(
            "Pugpig protocol: Sign in and renew",
            "Sign-in and renewal return a token, or an error document with the status 200. The token alone "
                + "authenticates the reader: a token for wrong credentials lets a stranger in, and a missing token "
                + "locks the reader out."),
        SourceCitation(
            "Pugpig protocol: Sign-in proves identity only",
            "Sign-in returns the same response for an active and for a lapsed subscription, because it proves "
                + "identity and not entitlement. A lapsed reader who may still hold editions cannot open them without "
                + "a token."),
        SourceCitation(
            "Pugpig protocol: Status values of a refused sign-in",
            "The specification has one status for a refused sign-in, notrecognised. A value that names the wrong "
                + "part tells strangers who is a subscriber."),
        SourceCitation(
            "Pugpig protocol: Attribute with the feed password",
            "Sign-in returns global_auth_password only where the feed varies by reader. Without it, a reader of such "
                + "a feed cannot load it."),
        SourceCitation(
            "Pugpig protocol: Verify subscription",
            "Verification returns the state and, if needed, a message, user information and the list of issues. A "
                + "wrong document with the status 200 replaces the stored state of a reader who has paid."),
        SourceCitation(
            "Pugpig protocol: Subscription states",
            "The state is unknown, active, inactive, suspended or stale. A wrong state with the status 200 replaces "
                + "the stored state of a reader who has paid."),
        SourceCitation(
            "Pugpig protocol: Stale tokens",
            "At the state stale, an app renews its token or asks the reader to sign in. With another state, the "
                + "reader is not asked. If renewal returns only stale tokens, the app renews without end."),
        SourceCitation(
            "Pugpig protocol: List of issues",
            "A missing list means all editions, an empty list means none, and a list with items means only these. An "
                + "inactive reader may still hold issues, and loses them if the list omits them."),
        SourceCitation(
            "Pugpig protocol: Inactive subscriptions without a list",
            "Read literally, a missing list means all editions for an inactive reader too. The test console reads it "
                + "as none. The access of a lapsed reader then depends on the client that reads the response."),
        SourceCitation(
            "Pugpig protocol: State kept by the client",
            "A response with any 2xx status replaces the state that an app has stored. At any other status, the app "
                + "keeps its state. A wrong or incomplete document with a 2xx status therefore locks out readers who "
                + "have paid."),
        SourceCitation(
            "Pugpig protocol: Edition credentials",
            "The response contains a userid and a password for the edition, or an error. If it contradicts "
                + "verification, a reader is denied an edition that was paid for, or opens one that was not."),
        SourceCitation(
            "Pugpig protocol: Status values of refused credentials",
            "The specification has notrecognised, notentitled and expired for refused credentials. The historic "
                + "server always writes notentitled. At any other value, an app shows its reader no useful reason."),
        SourceCitation(
            "Pugpig protocol: Position of the error element",
            "An app looks for the error inside <credentials>. An old validator responds with a bare error instead, "
                + "and readers then see no reason."),
        SourceCitation(
            "Pugpig protocol: Statuses other than 200",
            "An app takes any status other than 200 for a refused download, and its reader sees no reason."),
        SourceCitation(
            "Pugpig protocol: Header elements",
            "A header element names a request header that an app sends with its downloads. If its name or value is "
                + "not valid in HTTP, the reader's downloads fail."),
        SourceCitation(
            "Pugpig test endpoint and test console: Test users",
            "The users of the historic test endpoint, with the response to each call. Developers test their apps "
                + "with these users and learn a wrong behaviour from any other response."),
        SourceCitation(
            "Pugpig test endpoint and test console: Renewal by test users",
            "The response to a renewal for each user of the historic test endpoint. Developers test their apps with "
                + "these users and learn a wrong behaviour from any other response."),
        SourceCitation(
            "Edition credentials and the content gate: Password formula",
            "The password is the SHA-1 of edition:userid:secret in 40 lower-case hexadecimal digits. Gates compute "
                + "the same text and compare it, so any other password denies readers the editions that they have paid "
                + "for."),
        SourceCitation(
            "Edition credentials and the content gate: Userid",
            "The specification has a random userid for each request. The historic test endpoint uses the token "
                + "itself, and a party that intercepts a download then has the reader's token."),
        SourceCitation(
            "Edition credentials and the content gate: Feed password",
            "The feed password is the SHA-1 of :token:secret. With any other value, the reader cannot load the feed."),
        SourceCitation(
            "Edition credentials and the content gate: Basic authentication check",
            "The gate takes the edition from the path, and compares the SHA-1 of edition:userid:secret with the "
                + "password. A gate that decides otherwise opens editions that were not paid for, or denies editions "
                + "that were."),
        SourceCitation(
            "Edition credentials and the content gate: Refusals are 403",
            "A refusal at the gate is 403. At a 401, an app shows a login box that no reader can fill in, and a "
                + "download in the background stops."),
        SourceCitation(
            "Edition credentials and the content gate: Caching headers of refusals",
            "A refusal at the gate forbids caching. A cache that stores it can serve it to a reader with good "
                + "credentials."),
        SourceCitation(
            "Edition credentials and the content gate: User agent bypass",
            "The historic gate opens every edition to the user agent of the packager. Every client can send this "
                + "user agent, and then reads without payment."),
        SourceCitation(
            "Edition credentials and the content gate: Address of the client",
            "The historic gate takes the client's address from X-Forwarded-For. Every client can write this header, "
                + "and then appears to have a trusted address."),
    ]

    private static let pitfalls: [SourceCitation] = [
        SourceCitation(
            "Pitfall 1",
            "An empty result or a mapping error loses the issue list, and the whole catalogue opens to a reader who "
                + "paid for one edition. The publisher bears the loss."),
        SourceCitation(
            "Pitfall 2",
            "The gate and the file server read a path in two ways, because of dot segments, escapes or letter case. "
                + "Credentials for one edition then open the publisher's other editions."),
        SourceCitation(
            "Pitfall 3",
            "Edition, userid and secret are hashed with colons between them. A colon inside one of them moves the "
                + "boundary, and a password for one edition fits another."),
        SourceCitation(
            "Pitfall 4",
            "Anyone can guess a secret, a userid or a password that is empty, short or a sample from the "
                + "documentation, and then reads everything."),
        SourceCitation(
            "Pitfall 5",
            "A comparison stops early, ignores case or compares two texts as numbers. It then accepts a password "
                + "that is almost correct, or reveals the password digit by digit."),
        SourceCitation(
            "Pitfall 6",
            "A text, a status, a header or a time that differs tells any client which addresses belong to "
                + "subscribers. Attackers then try the passwords of these readers."),
        SourceCitation(
            "Pitfall 9",
            "An outage is taken for a rejection, and a database that is down for a minute locks out every paying "
                + "reader. The right response is a failed call, or the last known result."),
        SourceCitation(
            "Pitfall 10",
            "A server that lets readers in while it cannot query its subscriber system also accepts made-up and "
                + "expired tokens. The publisher's editions are then free for the duration of the outage."),
        SourceCitation(
            "Pitfall 11",
            "Any client can write the headers that name a client or its address. A gate that trusts them from every "
                + "peer is open to everyone."),
        SourceCitation(
            "Pitfall 12",
            "An exception for the packager, a health check or a developer depends on a name in a header. It opens "
                + "the content to every client that knows the name."),
        SourceCitation(
            "Pitfall 13",
            "Text that a reader typed enters a query, a filter or a command without escaping. An attacker can read "
                + "the table of subscribers, or sign in as one of them."),
        SourceCitation(
            "Pitfall 15",
            "Two programs on the way see the end of a request or response in different places, and one reader "
                + "receives the response to another. A message that never ends blocks other readers."),
        SourceCitation(
            "Pitfall 16",
            "A cache between app and server stores a response and serves it to the next client. One reader is then "
                + "signed in as another, or keeps an outdated state."),
        SourceCitation(
            "Pitfall 17",
            "A refusal with the tag, size or date of a file shows that the server read the file before it checked "
                + "the credentials. Clients that did not pay learn what is published, and when."),
        SourceCitation(
            "Pitfall 20",
            "Comments, messages and error pages reveal tokens, passwords and internal details of the server, and "
                + "markup in a message becomes part of the response. The readers whose keys leak do not notice."),
        SourceCitation(
            "Input pitfalls: Certificate checks that are switched off",
            "Certificates are often not verified. An attacker between reader and server then receives every password."),
    ]

    private static let designRules: [SourceCitation] = [
        SourceCitation(
            "Design rules: An outage is never a rejection",
            "A subscriber system that could not be queried is no rejection: sign-in and verification return 503 with "
                + "Retry-After. Without this field, all apps retry at once, and the system does not recover."),
        SourceCitation(
            "Design rules: Edition credentials are always a document",
            "Edition credentials are HTTP 200, granted or refused. At another status, an app takes the download for "
                + "broken and shows its reader no reason."),
        SourceCitation(
            "Design rules: Debug comments reveal nothing",
            "Debug comments are off by default and never contain a secret, a token or personal data, because every "
                + "proxy on the way may log them."),
        SourceCitation(
            "Design rules: Edition credentials fit any verifier",
            "The userid is random and has no colon, and the edition is never empty. Otherwise, a password for "
                + "another purpose opens an edition, or userid and password cannot be separated."),
        SourceCitation(
            "Design rules: Downloads resume",
            "A download supports ranges and can be resumed. Without that, a reader on a train starts a file of 100 "
                + "MB again and again."),
        SourceCitation(
            "Design rules: Malformed input gets a short response",
            "Every request gets a document of the protocol or a short 4xx. A stack trace, a crash or a hang tells "
                + "strangers how the server is built, and lets one of them stop it for all readers."),
    ]
}
