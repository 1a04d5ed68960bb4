import Mustache

/// The templates of the console, which are parsed once.
struct ConsoleTemplates: Sendable {
    static let sources: [(name: String, text: [UInt8])] = [
        ("layout", PackageResources.layout_mustache), ("block", PackageResources.block_mustache),
        ("cell", PackageResources.cell_mustache), ("table", PackageResources.table_mustache),
        ("form", PackageResources.form_mustache),
    ]

    private let layout: MustacheTemplate
    private let library: MustacheLibrary

    /// - Throws: The error of the parser.
    init() throws {
        MustacheContentTypes.register(HTMLText(), named: HTMLText.name)
        let templates = try Self.sources.map { name, text in
            // A partial on a line of its own would have that line's end; a cell has none of its own.
            let text = String(decoding: text, as: UTF8.self)
            let isInline = name == "cell" && text.hasSuffix("\n")
            return (
                name,
                try MustacheTemplate(
                    string: "{{% CONTENT_TYPE:\(HTMLText.name)}}" + (isInline ? String(text.dropLast()) : text))
            )
        }
        library = MustacheLibrary(templates: Dictionary(uniqueKeysWithValues: templates))
        layout = templates[0].1
    }

    /// Returns the HTML of a page.
    ///
    /// - Parameter session: The session; nil for a page without one.
    func render(_ page: Page, _ session: SessionBar?) -> String {
        layout.render(
            Document(title: page.title, session: session, banners: page.banners, blocks: page.blocks),
            library: library)
    }
}

/// A page with what surrounds it.
private struct Document: Sendable {
    let title: String
    let session: SessionBar?
    let banners: [Banner]
    let blocks: [Block]
}

/// The top of each page of a session.
struct SessionBar: Sendable {
    let userName: String
    let userRole: String
    let formToken: String
    let navigation: [PageLink]
}
