import Foundation
import Gatefold
import JSON

/// Something that an account's apps are told, as they read it (PROTOCOLS 5.5).
struct InPlayerNotice {
    let type: String
    let resource: JSONValue

    init(type: String, resource: JSONValue = .object([])) {
        self.type = type
        self.resource = resource
    }

    /// All of the account's sessions were ended.
    static let signedOut = InPlayerNotice(type: "account.logout")
    static let accountErased = InPlayerNotice(type: "account.erased")

    func payload(at moment: Date) -> [UInt8] {
        JSONWriter.bytes(["type": .string(type), "timestamp": .seconds(moment), "resource": resource])
    }
}

extension InPlayerPublication {
    /// Tells an account's apps, where they can be told anything.
    func tell(_ notice: InPlayerNotice, to uuid: String) {
        tools.noticeboard?.publish(notice.payload(at: now), to: uuid)
    }
}
