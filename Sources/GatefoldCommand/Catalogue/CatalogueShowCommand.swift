import ArgumentParser
import Catalogues
import Foundation
import Gatefold
import Server

struct CatalogueShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "List the editions of a catalogue from the configuration or from the last fetch.")

    @OptionGroup var catalogue: CatalogueOptions
    @OptionGroup var output: OutputOptions

    private struct Report: Encodable {
        let id: String
        let title: String
        let published: Date
        let free: Bool
        let draft: Bool
        let withdrawn: Date?
        let product: String?
        let file: String?
        let cover: String?
        let categories: [String]

        init(_ edition: Edition) {
            id = edition.id.rawValue
            title = edition.title
            published = edition.published
            free = edition.isFree
            draft = edition.isDraft
            withdrawn = edition.withdrawn
            product = edition.product
            file = edition.file
            cover = edition.details.cover
            categories = edition.details.categories
        }

        var line: String {
            var columns = [published.formatted(.iso8601.year().month().day()), id, title]
            if free { columns.append("(free)") }
            if draft { columns.append("(draft)") }
            if withdrawn != nil { columns.append("(withdrawn)") }
            return columns.joined(separator: "  ")
        }
    }

    func run() async throws {
        let (publication, cache) = try catalogue.read()
        guard let editions = publication.knownCatalogue(cache)?.editions else {
            throw CommandFailure(
                .unavailable, "no catalogue of \(publication.publication.id) has been fetched successfully")
        }
        let reports = editions.map { Report($0) }
        try output.print(reports, text: reports.map(\.line).joined(separator: "\n"))
    }
}
