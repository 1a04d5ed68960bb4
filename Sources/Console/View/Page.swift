/// The content of a page of the console, which ``ConsoleTemplates`` renders. The templates use the names of the properties. No two
/// types have a name in common, because a template looks a missing value up in the values around it.
struct Page: Sendable {
    var title: String
    /// The status of the response.
    var status = 200
    var banners: [Banner] = []
    var blocks: [Block] = []

    init(_ title: String, banners: [Banner] = [], _ blocks: [Block] = []) {
        self.title = title
        self.banners = banners
        self.blocks = blocks
    }
}

/// A sentence above the content of a page.
struct Banner: Sendable {
    let bannerKind: String
    let bannerLabel: String
    let bannerText: String
    /// The lines below the sentence.
    let bannerDetails: [String]

    static func good(_ text: String, label: String = "Done:") -> Banner {
        Banner(bannerKind: "good", bannerLabel: label, bannerText: text, bannerDetails: [])
    }

    static func problem(_ text: String, details: [String] = [], label: String = "Problem:") -> Banner {
        Banner(bannerKind: "problem", bannerLabel: label, bannerText: text, bannerDetails: details)
    }

    static func note(_ text: String, details: [String] = [], label: String = "Note:") -> Banner {
        Banner(bannerKind: "note", bannerLabel: label, bannerText: text, bannerDetails: details)
    }
}

/// A section of a page.
struct Block: Sendable {
    let heading: String?
    let text: String?
    let factList: FactList?
    let table: Table?
    let forms: [Form]
    let links: [PageLink]
    let hasLinks: Bool

    init(
        _ heading: String? = nil, text: String? = nil, facts: [Fact] = [], table: Table? = nil, forms: [Form] = [],
        links: [PageLink] = []
    ) {
        self.heading = heading
        self.text = text
        factList = facts.isEmpty ? nil : FactList(facts: facts)
        self.table = table
        self.forms = forms
        self.links = links
        hasLinks = !links.isEmpty
    }
}

struct PageLink: Sendable {
    let linkText: String
    let linkPath: String
    let linkIsCurrent: Bool

    /// - Parameter path: The path below that of the console, with its percent-escapes.
    init(_ text: String, _ path: String, isCurrent: Bool = false) {
        linkText = text
        linkPath = Console.root + path
        linkIsCurrent = isCurrent
    }
}

struct FactList: Sendable {
    let facts: [Fact]
}

/// A named value.
struct Fact: Sendable {
    let factName: String
    let cell: Cell

    init(_ name: String, _ cell: Cell) {
        factName = name
        self.cell = cell
    }
}
