/// A part of a longer list.
public struct Page<Item: Sendable>: Sendable {
    public let items: [Item]
    /// How many there are in all, where the service says it.
    public let total: Int?
    /// So many entries were left out, because they could not be read.
    public let unreadable: Int
}

extension Page: AnswerModel where Item: AnswerModel {
    init(_ answer: Answer) throws(UnreadableAnswer) {
        let list = try answer.required("collection", \.entries)
        items = list.compactMap { try? Item($0) }
        unreadable = list.count - items.count
        total = answer["total"]?.integer
    }
}
