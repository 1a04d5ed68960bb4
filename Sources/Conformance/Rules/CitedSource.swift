/// What a section of Gatefold's own papers says, and whom it harms when it is not kept: a rule's source names it, and whoever reads
/// a report does not have these papers. RFCs have no words here, because everybody has them.
package struct CitedSource: Sendable {
    /// As in `PROTOCOLS 1.2`.
    package let name: String
    package let words: String

    private init(_ name: String, _ words: String) {
        self.name = name
        self.words = words
    }

    /// The sections that a rule's source names.
    ///
    /// A paper's name stands before its first section and is left out before the next ones; what follows a colon explains.
    package static func names(in source: String) -> [String] {
        var paper: Substring = ""
        return source.split(separator: ";").flatMap { part -> [String] in
            var sections = (part.split(separator: ":").first ?? "").trimming { $0 == " " }
            if let named = ["PROTOCOLS", "PITFALLS", "DESIGN"].first(where: { sections.hasPrefix($0) }) {
                paper = sections.prefix(named.count)
                sections = sections.dropFirst(named.count)
            } else if !sections.hasPrefix("6A") {
                return []
            }
            return sections.split(separator: ",").map { "\(paper) \($0.trimming { $0 == " " })" }
        }
    }

    /// What the sections say that a rule's source names: of those the pitfalls alone where there are some, because these say what
    /// becomes of it. Empty where it names none.
    package static func words(of source: String) -> String {
        var names = names(in: source)
        // The users of the test endpoint stand for a publisher's own.
        if names.count > 1 { names.removeAll { $0 == "PROTOCOLS 1.3" } }
        let pitfalls = names.filter { $0.hasPrefix("PITFALLS") }
        return (pitfalls.isEmpty ? names : pitfalls).compactMap { name in all.first { $0.name == name }?.words }
            .joined(separator: " ")
    }

    /// In the order of the papers.
    package static let all = protocols + pitfalls + design

    private static let protocols: [CitedSource] = [
        CitedSource(
            "PROTOCOLS 1.1",
            "Apps write each call with a slash at its end, and the test console without; both may send a form in place of a query, and "
                + "neither follows a redirect. Where one spelling is missing, some of the readers can not sign in or renew."
        ),
        CitedSource(
            "PROTOCOLS 1.2",
            "The documents of the calls. A refusal is a 200 with an error document, and an app keeps the state it knows at any status but a "
                + "2xx: a wrong document overwrites what a paying reader has. No list of issues is everything, an empty one nothing. "
                + "Nothing in between may keep an answer."),
        CitedSource(
            "PROTOCOLS 1.3",
            "The users of the historic test endpoint, with what each call answers them. Developers of apps try their apps on these, and "
                + "learn something wrong where one is answered otherwise."),
        CitedSource(
            "PROTOCOLS 1.5",
            "The gate takes the edition from the path, compares the SHA-1 of edition:userid:secret with the password, and refuses with 403. "
                + "At a 401 an app shows a login box that no reader can fill in, and a download in the background ends."
        ),
        CitedSource(
            "PROTOCOLS 6A row 2",
            "The specification has notrecognised, notentitled and expired for refused credentials, the historic server always notentitled. "
                + "An app tells its reader nothing useful at any other word."),
        CitedSource(
            "PROTOCOLS 6A row 3",
            "The specification has a random userid in each answer, the historic test endpoint the token itself. Whoever overhears a "
                + "download then has the reader's key."),
        CitedSource(
            "PROTOCOLS 6A row 5",
            "The specification's paths end in a slash, the console's do not. A server that redirects one to the other is no server to "
                + "whoever follows no redirect."),
        CitedSource(
            "PROTOCOLS 6A row 7",
            "An old validator answers a bare error where the error belongs into <credentials>. Apps look for it there, and show readers "
                + "no reason."),
        CitedSource(
            "PROTOCOLS 6A row 9",
            "Read literally, no list of issues means everything for an inactive reader too; the console reads it as nothing. What a "
                + "lapsed reader may have then depends on who reads the answer."),
    ]

    private static let pitfalls: [CitedSource] = [
        CitedSource(
            "PITFALLS 1",
            "An issue list that is lost on the way, by an empty result or a mapping error, opens the whole catalogue to somebody who paid "
                + "for one edition. The publisher pays for it."),
        CitedSource(
            "PITFALLS 2",
            "The gate reads a path one way and the file server another, by dot segments, escapes or case: credentials for one edition then "
                + "open the publisher's others."),
        CitedSource(
            "PITFALLS 3",
            "Edition, userid and secret are hashed with colons between them. A colon in one of them moves the border, and a password for one "
                + "edition fits another."),
        CitedSource(
            "PITFALLS 4",
            "A secret or a part of a pair that is empty, short or a sample from the documentation can be guessed by anybody, who then reads "
                + "everything."),
        CitedSource(
            "PITFALLS 5",
            "A comparison that stops early, ignores case or takes two texts for numbers lets a password pass that is only nearly right, "
                + "or be found digit by digit."),
        CitedSource(
            "PITFALLS 6",
            "A text, a status, a header or a time that differs tells whoever asks which addresses are subscribers. These readers are then "
                + "the ones whose passwords are tried."),
        CitedSource(
            "PITFALLS 9",
            "An outage is taken for a refusal, and every paying reader is locked out by a database that was away for a minute. The answer is "
                + "a failed call, or the last one that was known."),
        CitedSource(
            "PITFALLS 10",
            "A server that lets readers in while it can not ask also lets those in who hold a made-up or expired token, and the publisher's "
                + "editions are free for as long as the outage lasts."),
        CitedSource(
            "PITFALLS 11",
            "Headers that say who a client is or whence it comes can be written by anybody. A gate that believes them from everybody is "
                + "open to everybody."),
        CitedSource(
            "PITFALLS 12",
            "A door for the packager, a health check or a developer, which opens at a name in a header, opens for whoever knows the name."
        ),
        CitedSource(
            "PITFALLS 13",
            "What a reader types is put into a query, a filter or a command as it came. Whoever types it well reads the table of subscribers, "
                + "or signs in as one of them."),
        CitedSource(
            "PITFALLS 15",
            "An answer or a request that two programs on the way divide differently hands one reader what was meant for another, and one "
                + "that is never finished keeps others waiting."),
        CitedSource(
            "PITFALLS 16",
            "A cache between app and server keeps an answer and gives it to the next who asks: one reader is signed in as another, or keeps "
                + "a state that is long over."),
        CitedSource(
            "PITFALLS 17",
            "A refusal that names a file's tag, size or date has looked at the file before the credentials, and tells those who did not pay "
                + "what is published, and when."),
        CitedSource(
            "PITFALLS 20",
            "Tokens, passwords and the inside of a server leak by comments, messages and error pages, and markup in a message becomes an "
                + "answer. The readers whose keys they are do not notice."),
        CitedSource(
            "PITFALLS runners-up",
            "Among what is seen often as well: certificates that nobody checks. Whoever is between reader and server then hears every "
                + "password."),
    ]

    private static let design: [CitedSource] = [
        CitedSource(
            "DESIGN rule 4",
            "A subscriber system that could not be asked is no refusal: sign-in and verification answer 503 and say when to ask again. "
                + "Without that all apps ask again at once, and the system does not come back."),
        CitedSource(
            "DESIGN rule 6",
            "Edition credentials are answered with 200, granted or refused. At another status an app takes the download for broken and "
                + "tells the reader nothing."),
        CitedSource(
            "DESIGN rule 8",
            "Comments for developers are off unless wanted, and never hold a secret, a token or a person's data: every proxy on the way may "
                + "write them down."),
        CitedSource(
            "DESIGN “Edition credentials”",
            "The userid is random and has no colon, the edition is never empty: else a password that was given for something else opens an "
                + "edition, or a pair can not be told apart."),
        CitedSource(
            "DESIGN “The gate”",
            "A download has ranges and can be resumed. A reader on a train who can not resume begins a file of 100 MB again and again."
        ),
        CitedSource(
            "DESIGN “What bad input gets”",
            "Whatever is sent is answered by a document of the protocol or a short 4xx; a trace, a crash or a hang tells strangers how "
                + "the server is built, and lets one of them stop it for all readers."),
    ]
}
