import CSV
import Foundation
import Gatefold
import Primitives
import Settings

@testable import Backends

extension FuzzTarget {
    /// A file of subscribers to import: the import accepts nothing that the database would not.
    static let subscriberImport = FuzzTarget(
        "subscriber-import", upTo: 1024, of: "ImportColumns", "ImportRow", "PeriodFormat", "ListFormat"
    ) { bytes in
        var reader = CSVReader(format: CSVFormat(maxRowLength: 1 << 16))
        var columns: ImportColumns?
        let take: (CSVReader.Outcome) -> Void = { outcome in
            guard case .success(let row) = outcome else { return }
            guard let known = columns else {
                columns = try? ImportColumns(header: row.fields, identifierName: "email")
                return
            }
            guard let read = try? ImportRow(row, columns: known, foldsProof: true) else { return }
            let texts = [read.identifier, read.message ?? ""] + read.categories.flatMap { [$0.scheme, $0.value] }
            promise(!read.identifier.isEmpty && texts.allSatisfy { !$0.utf8.contains(0) }, "a row has no reader")
        }
        reader.read(bytes, take)
        reader.finish(take)
    }

    /// A subscriber system's feed in each supported format.
    static let feed = FuzzTarget(
        "feed", upTo: 1024, of: "SeparatedFeedParser", "FixedWidthFeedParser", "XMLFeedParser", "TextEncoding",
        "FeedCells", "FeedRowSplitter"
    ) { bytes in
        for format in formats {
            let whole = try? items([bytes], format)
            let parts = try? items(pieces(bytes), format)
            promise(whole == parts, "parsing in pieces differs from parsing at once")
            for case .row(let row) in whole ?? [] {
                promise(FeedCells.decode(FeedCells.encode(row.cells)) == row.cells, "cells were lost")
            }
        }
        _ = FeedCells.decode(bytes)
    }

    /// A reader's record in the format of a form: it opens everything only by an explicit value of the system (Pitfall
    /// 1).
    static let mapping = FuzzTarget(
        "mapping", upTo: 512, of: "SubscriptionMapping", "DateFormat", "EditionsMapping", "StateMapping", "Record",
        "CivilTime"
    ) { bytes in
        var fields: [String: [String]] = [:]
        let form = Backends.FormFields(text(bytes))
        for name in ["state", "skus", "plan", "from", "to"] { fields[name] = form.values(name) }
        for value in fields.values.joined() {
            for date in DateFormat.allCases { _ = date.date(value, isEnd: true) }
        }
        for mapping in mappings {
            for requiresEveryField in [true, false] {
                let record = Record(fields, requiresEveryField: requiresEveryField)
                guard let reported = try? mapping.subscription(from: record, at: FuzzedTenant.now) else { continue }
                let isGold = fields["plan"]?.contains { $0.lowercased().contains("gold") } == true
                promise(
                    reported.entitlement != .allEditions || isGold,
                    "all editions were opened without the configured value")
            }
        }
    }

    private static func section(_ text: String) -> SettingsSection {
        ready { try YAMLSettings.read(text: text, name: "gatefold.yaml", folder: "/nowhere") }
    }

    private static let formats = [
        "{format: csv, layout: {delimiter: \";\", encoding: windows-1252}}", "{format: tsv, layout: {names: [a, b]}}",
        "{format: fixed, layout: {columns: [{name: id, start: 1, length: 3}, {name: n, start: 3, length: 4}], skip_lines: 1}}",
        "{format: xml, layout: {record: reader}}",
    ].map { text in ready { try FeedFormat(section(text)) } }

    private static func items(_ pieces: [[UInt8]], _ format: FeedFormat) throws -> [FeedItem] {
        var parser = try format.parser(FeedFields(), requiredFields: [])
        var found: [FeedItem] = []
        for piece in pieces { try parser.read(piece) { found.append($0) } }
        try parser.finish { found.append($0) }
        return found
    }

    private static let mappings = [
        """
        subscription:
          state: {other: inactive, empty: inactive}
          editions: {from: skus, others: skip}
          all_editions: {from: plan, when: [gold]}
        """,
        """
        subscription: {state: {by: periods}, periods: {start: from, end: to}, editions: {from: skus, others: skip},
          all_editions: {from: plan, when: [gold]}}
        """,
    ].map { text in ready { try SubscriptionMapping(section(text).section("subscription")) } }
}
