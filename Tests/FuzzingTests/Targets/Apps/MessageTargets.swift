import Foundation
import MQTT
import NIOCore
import Push

@testable import Mail

extension FuzzTarget {
    static let mqttPacket = FuzzTarget("mqtt-packet", upTo: 512, of: "MQTTPacket+Reading") { bytes in
        promise(packets([bytes]) == packets(pieces(bytes)), "parsing in pieces differs from parsing at once")
        var buffer = ByteBuffer(bytes: bytes)
        guard let packet = try? MQTTPacket.read(from: &buffer) else { return }
        var again = ByteBuffer()
        guard (try? packet.write(to: &again)) != nil else {
            promise(false, "a parsed packet could not be written")
            return
        }
        promise((try? MQTTPacket.read(from: &again)) == packet, "a packet does not round-trip")
    }

    /// Apple's response to a notification, and the payload of a notification.
    static let pushResponse = FuzzTarget("push-response", upTo: 512, of: "APNsVerdict", "PushPayload") { bytes in
        for status in [200, 400, 410, 429, 503] {
            _ = APNsVerdict(status: status, retryAfter: text(Array(bytes.prefix(12))), body: bytes)
        }
        _ = try? PushPayload(json: bytes)
    }

    /// A publisher's e-mail template, filled with a reader's name.
    static let emailTemplate = FuzzTarget(
        "email-template", upTo: 256, of: "MustacheText", "TemplateTags", "EmailTemplate", "HeaderText"
    ) { bytes in
        for kind in [MustacheText.Kind.html, .text] {
            guard let template = try? MustacheText(text(bytes), kind, variableNames: ["name"]) else { continue }
            let rendered = Data(template.render(["name": marker]).utf8)
            guard kind == .html, Data(bytes).range(of: Data("zq9".utf8)) == nil else { continue }
            promise(rendered.range(of: Data(marker.utf8)) == nil, "a reader's name is markup in an e-mail message")
        }
        let header = HeaderText.encode(text(bytes), allowing: HeaderText.inSubjects).replacing("\r\n ", with: "")
        promise(header.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "a subject contains a line break")
    }

    /// A name that no template contains by chance.
    private static let marker = "<zq9>"

    /// Returns the packets of a stream in these chunks, with nil at the end if a packet is malformed.
    private static func packets(_ pieces: [[UInt8]]) -> [MQTTPacket?] {
        var buffer = ByteBuffer()
        var found: [MQTTPacket?] = []
        for piece in pieces {
            buffer.writeBytes(piece)
            do {
                while let packet = try MQTTPacket.read(from: &buffer) { found.append(packet) }
            } catch {
                return found + [nil]
            }
        }
        return found
    }
}
