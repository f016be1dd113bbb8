//! What the neighbour graph must do, on a few thousand small vectors made from a hash.
#![expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "rows of a test are few")]
use super::*;

const WIDTH: usize = 32;

fn noise(seed: u64) -> f32 {
    let hash = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let hash = (hash ^ (hash >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    ((hash ^ (hash >> 32)) & 0xFFFF) as f32 / 65536.0 - 0.5
}

/// Unit vectors around fifty centres.
fn vectors(count: u64) -> Vec<Vec<f32>> {
    let row = |row: u64| -> Vec<f32> {
        let centre = row.wrapping_mul(7919) % 50 + 1_000_000;
        let vector: Vec<f32> =
            (0..WIDTH as u64).map(|at| noise(centre * 64 + at) + 0.7 * noise(row * 64 + at)).collect();
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
        vector.iter().map(|x| x / norm).collect()
    };
    (0..count).map(row).collect()
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn build(vectors: &[Vec<f32>]) -> Graph {
    let mut graph = Graph::default();
    graph.insert_batch(0..vectors.len() as u32, &|a, b| dot(&vectors[a as usize], &vectors[b as usize]));
    graph
}

fn find(graph: &Graph, vectors: &[Vec<f32>], query: &[f32], accept: impl Fn(u32) -> bool) -> Vec<u32> {
    let found = graph.search(&|row| dot(query, &vectors[row as usize]), 10, 128, &accept);
    assert!(found.windows(2).all(|pair| pair[0].1 >= pair[1].1), "best first");
    found.into_iter().map(|(row, _)| row).collect()
}

fn exact(vectors: &[Vec<f32>], query: &[f32], accept: impl Fn(u32) -> bool) -> Vec<u32> {
    let rows = (0..vectors.len() as u32).filter(|&row| accept(row));
    let mut keys: Vec<u64> = rows.map(|row| key(dot(query, &vectors[row as usize]), row)).collect();
    keys.sort_unstable_by_key(|&key| Reverse(key));
    keys.into_iter().take(10).map(row_of).collect()
}

#[test]
fn finds_nearly_all_nearest_rows_and_only_accepted_ones() {
    let all = vectors(5_100);
    let (rows, queries) = all.split_at(5_000);
    let mut graph = build(&rows[..4_900]);
    for row in 4_900..5_000 {
        graph.insert_batch(row..row + 1, &|a, b| dot(&rows[a as usize], &rows[b as usize]));
    }
    for share in [1, 10] {
        let accept = |row: u32| row.is_multiple_of(share);
        let mut hits = 0;
        for query in queries {
            let found = find(&graph, rows, query, accept);
            assert!(found.iter().all(|&row| accept(row)), "a rejected row came back");
            hits += exact(rows, query, accept).iter().filter(|row| found.contains(row)).count();
        }
        assert!(hits >= 950, "{hits} of 1000 with one row in {share} accepted");
    }
}

#[test]
fn equal_input_gives_equal_bytes_whatever_the_threads_and_they_read_back() {
    let rows = vectors(2_000);
    let bytes = build(&rows).to_bytes();
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(bytes, one.install(|| build(&rows)).to_bytes());
    assert_eq!(bytes, Graph::from_bytes(&bytes).unwrap().to_bytes());
}

#[test]
fn bad_bytes_are_an_error_and_no_damage_panics() {
    let rows = vectors(600);
    let bytes = build(&rows).to_bytes();
    for length in [0, 7, 15, 16, 100, bytes.len() / 2, bytes.len() - 1] {
        assert!(Graph::from_bytes(&bytes[..length]).is_err(), "{length} bytes were enough");
    }
    for (at, error) in [(0, BAD_HEADER), (8, BAD_SIZE), (12, BAD_HEADER), (16 + 600 * 4, BAD_LINK)] {
        let mut bad = bytes.clone();
        bad[at..at + 4].copy_from_slice(&0x7FFF_FFFF_u32.to_le_bytes());
        assert_eq!(Graph::from_bytes(&bad).err(), Some(error), "at {at}");
    }
    // Any number that passes the checks must also do no harm: a wrong twin, a loop, a gap in a list.
    for at in (12..bytes.len() - 3).step_by(4).filter(|at| at % 44 == 0 || *at < 2_400) {
        let mut bad = bytes.clone();
        bad[at..at + 4].copy_from_slice(&(at as u32 % 600).to_le_bytes());
        if let Ok(graph) = Graph::from_bytes(&bad) {
            find(&graph, &rows, &rows[1], |row| row % 2 == 0);
        }
    }
}

#[test]
fn an_empty_graph_finds_nothing_and_one_row_is_found() {
    let rows = vectors(1);
    let mut graph = Graph::from_bytes(&Graph::default().to_bytes()).unwrap();
    assert!(graph.len() == 0 && find(&graph, &rows, &rows[0], |_| true).is_empty());
    graph.insert_batch(0..1, &|_, _| 1.0);
    graph.insert_batch(0..1, &|_, _| 1.0);
    assert_eq!((graph.len(), find(&graph, &rows, &rows[0], |_| true)), (1, vec![0]));
}

#[test]
fn a_live_copy_is_found_among_thousands_of_dead_ones_and_the_rest_stays_in_reach() {
    let mut rows = vectors(1_000);
    rows.extend(vec![rows[3].clone(); 3_000]);
    rows.extend(vectors(1_500).split_off(1_000));
    let graph = build(&rows);
    assert_eq!(find(&graph, &rows, &rows[3], |row| row == 2_345), [2_345]);
    assert_eq!(find(&graph, &rows, &rows[3], |row| rows[row as usize] != rows[3]).len(), 10);
    let alone = |row: &usize| find(&graph, &rows, &rows[*row], |_| true)[0] as usize == *row;
    assert!((4_000..4_500).filter(alone).count() >= 495);
}
