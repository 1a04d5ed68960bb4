import Gatefold
import JSON

/// An item as SDKs read it (PROTOCOLS 5.3): `metadata` is a list here, unlike an account's.
enum ItemDocument {
    /// - Parameter content: for whoever has access; empty for others.
    static func value(
        _ item: InPlayerItem, _ settings: InPlayerSettings, site: DownloadSite?, content: String = ""
    ) -> JSONValue {
        let facts = facts(item, site)
        return [
            "id": .whole(item.number), "merchant_id": .whole(settings.merchantNumber),
            "merchant_uuid": .string(settings.merchant), "is_active": .boolean(item.isActive),
            "active": .boolean(item.isActive), "title": .string(item.title),
            "access_control_type": ["id": 2, "name": "Paid", "auth": true],
            "item_type": itemType(item.kind), "age_restriction": .null,
            "metadata": .array(
                facts.enumerated().map { index, fact in
                    ["id": .whole(index + 1), "name": .string(fact.name), "value": .string(fact.value)]
                }), "metahash": .object(facts.map { .init(name: $0.name, value: .string($0.value)) }),
            "content": .string(content), "template_id": .null,
            "access_fees": .array(AccessFeeDocument.values(item, settings, nested: true)),
            "created_at": .seconds(item.created), "updated_at": .seconds(item.updated),
        ]
    }

    /// What access fees and notices say of the item that they are about.
    static func reference(_ item: InPlayerItem, _ settings: InPlayerSettings) -> JSONValue {
        [
            "id": .whole(item.number), "title": .string(item.title),
            "merchant_id": .whole(settings.merchantNumber), "merchant_uuid": .string(settings.merchant),
            "item_type": itemType(item.kind),
        ]
    }

    static func itemType(_ kind: InPlayerItem.Kind) -> JSONValue {
        switch kind {
        case .edition:
            [
                "id": 1, "name": "edition", "content_type": "edition", "host": "gatefold",
                "description": "A single edition",
            ]
        case .subscription:
            [
                "id": 2, "name": "subscription", "content_type": "subscription", "host": "gatefold",
                "description": "A subscription",
            ]
        }
    }

    private static func facts(_ item: InPlayerItem, _ site: DownloadSite?) -> [(name: String, value: String)] {
        guard let edition = item.edition else { return [] }
        let details = edition.details
        let all: [(name: String, value: String?)] = [
            ("edition", edition.id.rawValue), ("summary", details.summary), ("author", details.author),
            ("cover", details.cover.map { site?.absolute($0) ?? $0 }),
            ("sample", details.sample.map { site?.absolute($0) ?? $0 }),
            ("categories", details.categories.isEmpty ? nil : details.categories.joined(separator: ", ")),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }
}
