/// A part of a longer list.
public struct Page<Item: Sendable>: Sendable {
    public let items: [Item]
    /// How many there are in all, where the service says it.
    public let total: Int?
}

extension Page where Item: AnswerModel {
    init(_ answer: Answer) {
        items = answer.models("collection")
        total = answer["total"]?.integer
    }
}
