import NIOCore

/// A control packet of MQTT 3.1.1 (OASIS standard, chapter 3), as far as a client needs them that has messages delivered
/// at most or at least once.
package enum MQTTPacket: Sendable, Hashable {
    case connect(MQTTConnect)
    case connectAcknowledged(isPresent: Bool, code: UInt8)
    case publish(MQTTMessage)
    case publishAcknowledged(UInt16)
    case subscribe(UInt16, filter: String, quality: UInt8)
    /// One code for each filter; 0x80 is a refusal.
    case subscribeAcknowledged(UInt16, codes: [UInt8])
    case ping
    case pong
    case disconnect
}

/// How a client introduces itself (section 3.1). It has neither a will nor a session that outlasts the connection.
package struct MQTTConnect: Sendable, Hashable {
    package var clientID: String
    /// In seconds; 0 for none.
    package var keepAlive: UInt16
    package var userName: String?
    package var password: String?

    package init(clientID: String, keepAlive: UInt16, userName: String? = nil, password: String? = nil) {
        self.clientID = clientID
        self.keepAlive = keepAlive
        self.userName = userName
        self.password = password
    }
}

/// An application message (section 3.3).
package struct MQTTMessage: Sendable, Hashable {
    package var topic: String
    package var payload: [UInt8]
    /// 0 for at most once, 1 for at least once.
    package var quality: UInt8
    /// Only with a quality above 0.
    package var identifier: UInt16?
    package var isRepeated: Bool
    package var isRetained: Bool

    package init(
        topic: String, payload: [UInt8], quality: UInt8 = 0, identifier: UInt16? = nil, isRepeated: Bool = false,
        isRetained: Bool = false
    ) {
        self.topic = topic
        self.payload = payload
        self.quality = quality
        self.identifier = identifier
        self.isRepeated = isRepeated
        self.isRetained = isRetained
    }
}

/// Bytes that are no packet, or one that must not be sent.
package struct MQTTMalformed: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
