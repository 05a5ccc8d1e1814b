;; The matrix product of every linear layer: y [n, m] = x [n, k] · wᵀ, where w is [m, k], as PyTorch stores it.
;; All are float32, row after row. So each number of y is the dot product of a row of x and a row of w.
;; product_bytes.ts holds this file compiled; `npm run kernel` writes that anew.
(module
  (import "product" "memory" (memory 1))

  ;; y, x and w are addresses; n, k and m count numbers.
  ;; Rows of w are in the outer loop: each is read once from memory, however many rows x has.
  (func (export "product")
    (param $y i32) (param $x i32) (param $w i32) (param $n i32) (param $k i32) (param $m i32)
    (local $i i32) (local $j i32) (local $row i32) (local $x_row i32) (local $cell i32)
    (local.set $row (i32.shl (local.get $k) (i32.const 2)))  ;; bytes of a row of x, and of w
    (block $done
      (loop $rows_of_w
        (br_if $done (i32.ge_u (local.get $j) (local.get $m)))
        (local.set $i (i32.const 0))
        (local.set $x_row (local.get $x))
        (local.set $cell (i32.add (local.get $y) (i32.shl (local.get $j) (i32.const 2))))
        ;; Four rows of w at once while there are four, and while k is a multiple of four.
        (if (i32.and
              (i32.le_u (i32.add (local.get $j) (i32.const 4)) (local.get $m))
              (i32.eqz (i32.and (local.get $k) (i32.const 3))))
          (then
            (loop $rows_of_x
              (v128.store (local.get $cell) (call $four_dots (local.get $x_row) (local.get $w) (local.get $row)))
              (local.set $x_row (i32.add (local.get $x_row) (local.get $row)))
              (local.set $cell (i32.add (local.get $cell) (i32.shl (local.get $m) (i32.const 2))))
              (br_if $rows_of_x
                (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
            (local.set $j (i32.add (local.get $j) (i32.const 4)))
            (local.set $w (i32.add (local.get $w) (i32.shl (local.get $row) (i32.const 2)))))
          (else
            (loop $rows_of_x
              (f32.store (local.get $cell) (call $dot (local.get $x_row) (local.get $w) (local.get $row)))
              (local.set $x_row (i32.add (local.get $x_row) (local.get $row)))
              (local.set $cell (i32.add (local.get $cell) (i32.shl (local.get $m) (i32.const 2))))
              (br_if $rows_of_x
                (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
            (local.set $j (i32.add (local.get $j) (i32.const 1)))
            (local.set $w (i32.add (local.get $w) (local.get $row)))))
        (br $rows_of_w))))

  ;; The dot products of one row of x with four rows of w, of `row` bytes each.
  (func $four_dots (param $x i32) (param $w i32) (param $row i32) (result v128)
    (local $w1 i32) (local $w2 i32) (local $w3 i32) (local $at i32) (local $four v128)
    (local $sum0 v128) (local $sum1 v128) (local $sum2 v128) (local $sum3 v128)
    (local.set $w1 (i32.add (local.get $w) (local.get $row)))
    (local.set $w2 (i32.add (local.get $w1) (local.get $row)))
    (local.set $w3 (i32.add (local.get $w2) (local.get $row)))
    (loop $columns
      (local.set $four (v128.load (i32.add (local.get $x) (local.get $at))))
      (local.set $sum0 (f32x4.add (local.get $sum0)
        (f32x4.mul (local.get $four) (v128.load (i32.add (local.get $w) (local.get $at))))))
      (local.set $sum1 (f32x4.add (local.get $sum1)
        (f32x4.mul (local.get $four) (v128.load (i32.add (local.get $w1) (local.get $at))))))
      (local.set $sum2 (f32x4.add (local.get $sum2)
        (f32x4.mul (local.get $four) (v128.load (i32.add (local.get $w2) (local.get $at))))))
      (local.set $sum3 (f32x4.add (local.get $sum3)
        (f32x4.mul (local.get $four) (v128.load (i32.add (local.get $w3) (local.get $at))))))
      (br_if $columns
        (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 16))) (local.get $row))))
    ;; Four sums of four numbers each -> their four totals: halves are added, then halves of the halves.
    (local.set $sum0 (f32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $sum0) (local.get $sum1))
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $sum0) (local.get $sum1))))
    (local.set $sum2 (f32x4.add
      (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $sum2) (local.get $sum3))
      (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $sum2) (local.get $sum3))))
    (f32x4.add
      (i8x16.shuffle 0 1 2 3 8 9 10 11 16 17 18 19 24 25 26 27 (local.get $sum0) (local.get $sum2))
      (i8x16.shuffle 4 5 6 7 12 13 14 15 20 21 22 23 28 29 30 31 (local.get $sum0) (local.get $sum2))))

  ;; The dot product of two rows of any length.
  (func $dot (param $x i32) (param $w i32) (param $row i32) (result f32)
    (local $end i32) (local $fours v128) (local $sum f32)
    (local.set $end (i32.add (local.get $x) (i32.and (local.get $row) (i32.const -16))))
    (block $no_four_left
      (loop $columns
        (br_if $no_four_left (i32.ge_u (local.get $x) (local.get $end)))
        (local.set $fours (f32x4.add (local.get $fours)
          (f32x4.mul (v128.load (local.get $x)) (v128.load (local.get $w)))))
        (local.set $x (i32.add (local.get $x) (i32.const 16)))
        (local.set $w (i32.add (local.get $w) (i32.const 16)))
        (br $columns)))
    (local.set $sum (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $fours)) (f32x4.extract_lane 1 (local.get $fours)))
      (f32.add (f32x4.extract_lane 2 (local.get $fours)) (f32x4.extract_lane 3 (local.get $fours)))))
    (local.set $end (i32.add (local.get $end) (i32.and (local.get $row) (i32.const 15))))
    (block $no_column_left
      (loop $columns
        (br_if $no_column_left (i32.ge_u (local.get $x) (local.get $end)))
        (local.set $sum (f32.add (local.get $sum) (f32.mul (f32.load (local.get $x)) (f32.load (local.get $w)))))
        (local.set $x (i32.add (local.get $x) (i32.const 4)))
        (local.set $w (i32.add (local.get $w) (i32.const 4)))
        (br $columns)))
    (local.get $sum)))
