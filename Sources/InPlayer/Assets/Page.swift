/// A page of a longer list.
public struct Page<Item: Sendable>: Sendable {
    public let items: [Item]
    /// The total number of entries, if the service reports it.
    public let total: Int?
    /// The number of entries that were skipped because they are unreadable.
    public let unreadable: Int
}

extension Page: ResponseModel where Item: ResponseModel {
    init(_ response: ResponseValue) throws(UnreadableResponse) {
        let list = try response.required("collection", \.entries)
        items = list.compactMap { try? Item($0) }
        unreadable = list.count - items.count
        total = response["total"]?.integer
    }
}
